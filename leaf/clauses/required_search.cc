#include "leaf/clauses/required_search.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <string>
#include <utility>

#include "common/text/field_term.h"
#include "leaf/clauses/matcher.h"
#include "leaf/clauses/phrase_places.h"
#include "leaf/cpu/intersect_block.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::clauses {
namespace {

using cpu::CandidateBuffer;
using cpu::Candidates;
using postings::kBlockLength;

constexpr std::uint32_t kNoBlock = 0xffffffff;
constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint32_t>::max();

// A list, and where it is.
class Joined {
 public:
  // Borrows both.
  Joined(const engine::Plan& field, const engine::PlanTerm& term, query::Factor factor, bool has_bounds)
      : reader_(field, term), factor_(factor), has_bounds_(has_bounds) {}

  // Finds the bound of all documents first .. last; `first` never decreases. False: the list has ended.
  bool look(DocId first, DocId last) {
    range_bound_ = 0;
    if (!find(first)) return false;
    range_bound_ = kNoBound;
    if (!has_bounds_) return true;
    const auto& list = reader_.list();
    const std::uint32_t to = std::min(list.find_block(last, block_), list.blocks() - 1);
    range_bound_ = times(reader_.bound(list.least_deficit(block_, to)), factor_);
    return true;
  }
  std::uint64_t range_bound() const { return range_bound_; }
  std::uint64_t list_bound() const { return has_bounds_ ? times(reader_.list_bound(), factor_) : kNoBound; }
  std::uint64_t bound_of(std::uint32_t block) {
    if (!has_bounds_) return kNoBound;
    if (block != bound_block_) {
      bound_block_ = block;
      bound_ = times(reader_.block_bound(block), factor_);
    }
    return bound_;
  }
  // Moves to the block that may hold `docid`, without decoding it. False: the list ends before.
  bool find(DocId docid) {
    if (block_ != kNoBlock && docid <= last_) return true;
    const std::uint32_t block = reader_.list().find_block(docid, block_ == kNoBlock ? 0 : block_ + 1);
    if (block == reader_.blocks()) return false;
    block_ = block;
    last_ = reader_.list().last_docid(block);
    return true;
  }
  // The document's place in its block; find() has found the block.
  std::optional<std::uint32_t> position_of(DocId docid) {
    reader_.enter(block_);
    const std::uint32_t position = reader_.position_of(docid);
    if (position >= reader_.size() || reader_.docids()[position] != docid) return std::nullopt;
    return position;
  }
  Score score_at(std::uint32_t block, std::uint32_t position, DocId docid) {
    const Score score = reader_.score_of(block, position, docid);
    return factor_.units == query::Factor::kOne ? score : times(score, factor_);
  }
  bool is_plain() const { return factor_.units == query::Factor::kOne; }
  std::uint32_t block() const { return block_; }
  DocId last() const { return last_; }
  cpu::TermReader& reader() { return reader_; }

  // Of an optional term: whether it is known which of the driver's documents have it, by place.
  bool looked_up = false;
  std::array<std::uint64_t, kBlockLength / 64> found{};
  bool has(std::uint32_t place) const { return (found[place / 64] >> place % 64 & 1) != 0; }
  bool in_phrase = false;
  bool bounds_phrase = false;                        // the phrase is in no document more often than this word
  std::uint64_t hash = 0;                            // of a phrase's word
  std::array<std::uint32_t, kBlockLength> postings;  // of the driver's documents, by place: block * 128 + position

 private:
  cpu::TermReader reader_;
  const query::Factor factor_;
  const bool has_bounds_;  // the list's deficits are those of the lengths that the reader has
  std::uint32_t block_ = kNoBlock, bound_block_ = kNoBlock;
  DocId last_ = 0;
  std::uint64_t range_bound_ = 0, bound_ = 0;
};

class RequiredSearch {
 public:
  RequiredSearch(const ClausePlan& plan, const RequiredQuery& query, const Clock& clock)
      : plan_(plan), query_(query), clock_(clock), threshold_(plan.plan) {
    if (query.phrase == nullptr) return;
    phrase_ = &std::get<PhraseNode>(query.phrase->what);
    places_.emplace(numbers_of(*phrase_), phrase_->slop);
  }
  Result<engine::Outcome> run();

 private:
  // False: no document matches.
  Result<bool> open();
  Result<bool> add(ListNumber number, float weight, query::Factor factor, std::deque<Joined>& to);
  const engine::Plan& of_field(std::uint32_t field);
  std::uint64_t bound_of_required(const auto& bound_of_list) const;
  bool needs_the_optional() const;
  void require_the_optional();
  bool start_block(std::uint32_t block);
  void sift();
  void keep_with_optional(std::uint64_t required);
  bool narrow(Joined& list, CandidateBuffer& kept);
  void drop_excluded();
  void offer();
  std::uint32_t places_in(DocId docid);
  Result<void> status();

  const ClausePlan& plan_;
  const RequiredQuery& query_;
  const Clock& clock_;
  cpu::Threshold threshold_;
  const PhraseNode* phrase_ = nullptr;
  std::optional<PhrasePlaces> places_;
  std::vector<std::pair<std::size_t, std::uint64_t>> words_;  // of the phrase: its place there, hash
  std::deque<engine::PlanTerm> terms_;
  std::deque<std::pair<std::uint32_t, engine::Plan>> fields_;
  std::deque<Joined> required_, optional_, excluded_;
  std::vector<Joined*> order_;     // required_, the rarest first
  std::vector<Joined*> by_bound_;  // some of optional_
  bool the_optional_is_required_ = false;
  DocId from_ = 0;           // documents before are done with
  std::uint64_t least_ = 0;  // score to reach in the driver's block; 0: every match is counted
  std::uint64_t more_ = 0;   // that the optional terms may add there
  bool going_on_ = true;     // later blocks may have matches
  engine::Outcome outcome_;
  Candidates left_;  // in the driver's block
  CandidateBuffer kept_[2], sifted_;
  cpu::BlockTable table_;
  std::optional<Error> error_;
};

const engine::Plan& RequiredSearch::of_field(std::uint32_t field) {
  if (field == kAllText) return plan_.plan;
  for (const auto& [number, known] : fields_)
    if (number == field) return known;
  auto& [number, made] = fields_.emplace_back(field, engine::Plan());
  made.lengths = plan_.partition->lengths_in(field);
  made.norm = plan_.query->norms.at(field);
  return made;
}

Result<bool> RequiredSearch::add(ListNumber number, float weight, query::Factor factor, std::deque<Joined>& to) {
  if (plan_.lists[number] == nullptr || plan_.lists[number]->postings.count() == 0) return false;
  const std::uint32_t field = plan_.query->lists[number].field;
  terms_.push_back({plan_.lists[number], weight,
                    scoring::BoundScale(weight, plan_.query->bm25, plan_.query->statistics, plan_.built)});
  Joined& made = to.emplace_back(of_field(field), terms_.back(), factor, field == kAllText);
  if (made.reader().corrupt()) return made.reader().error();
  return true;
}

Result<bool> RequiredSearch::open() {
  for (const Node* const node : query_.required) {
    const auto& term = std::get<TermNode>(node->what);
    if (!FROND_TRY(add(term.list, term.weight, node->boost, required_))) return false;
  }
  for (std::size_t i = 0; phrase_ != nullptr && i < phrase_->words.size(); ++i) {
    const ListNumber number = phrase_->words[i].lists.front();
    const std::string_view term = plan_.query->lists[number].term;
    words_.emplace_back(i,
                        partition::term_hash(phrase_->field == kAllText ? term : term.substr(text::kFieldTermPrefix)));
    const auto is_same = [&](const Joined& one) { return one.in_phrase && one.hash == words_.back().second; };
    if (std::ranges::any_of(required_, is_same)) continue;  // a word that comes again
    if (!FROND_TRY(add(number, phrase_->weight, query_.phrase->boost, required_))) return false;
    required_.back().in_phrase = true;
    required_.back().bounds_phrase = phrase_->slop == 0 || i == 0;
    required_.back().hash = words_.back().second;
  }
  for (const Node* const node : query_.optional) {
    const auto& term = std::get<TermNode>(node->what);
    FROND_TRY(add(term.list, term.weight, node->boost, optional_));
  }
  for (const Node* const node : query_.excluded)
    FROND_TRY(add(std::get<TermNode>(node->what).list, 0, query::Factor(), excluded_));
  for (Joined& one : required_) order_.push_back(&one);
  std::ranges::stable_sort(order_, {}, [](Joined* one) { return one->reader().list().count(); });
  return true;
}

// From those of the lists: the sum, and of the words that bound the phrase the least.
std::uint64_t RequiredSearch::bound_of_required(const auto& bound_of_list) const {
  std::uint64_t sum = 0, phrase = phrase_ == nullptr ? 0 : kNoBound;
  for (Joined* const one : order_) {
    const std::uint64_t bound = bound_of_list(*one);
    if (!one->in_phrase)
      sum += bound;
    else if (one->bounds_phrase)
      phrase = std::min(phrase, bound);
  }
  return sum + phrase;
}

// Whether no document can be among the best any more without the only optional term.
bool RequiredSearch::needs_the_optional() const {
  if (optional_.size() != 1 || the_optional_is_required_ || plan_.plan.priors != nullptr ||
      outcome_.matches < plan_.plan.count_to)
    return false;
  return bound_of_required([](const Joined& one) { return one.list_bound(); }) < threshold_.least();
}

void RequiredSearch::require_the_optional() {
  the_optional_is_required_ = true;
  outcome_.exact = false;
  order_.push_back(&optional_.front());
  std::ranges::stable_sort(order_, {}, [](Joined* one) { return one->reader().list().count(); });
}

// Fills left_ with the documents of the driver's block that may be hits or must be counted. False: there are none.
bool RequiredSearch::start_block(std::uint32_t block) {
  cpu::TermReader& driver = order_.front()->reader();
  const DocId first = driver.first_possible(block), last = driver.list().last_docid(block);
  if (plan_.plan.priors != nullptr) threshold_.look_at(first, last);
  least_ = outcome_.matches >= plan_.plan.count_to ? threshold_.least() : 0;
  for (Joined& one : optional_) one.looked_up = false;
  if (least_ > 0) {
    for (Joined* const one : order_)
      if (!one->look(first, last)) return going_on_ = false;
    more_ = 0;
    if (!the_optional_is_required_)
      for (Joined& one : optional_) {
        one.look(first, last);
        more_ += one.range_bound();
      }
    if (bound_of_required([](const Joined& one) { return one.range_bound(); }) + more_ < least_) {
      outcome_.exact = false;
      return false;
    }
  }
  driver.enter(block);
  left_ = CandidateBuffer::whole(driver.docids(), driver.size());
  if (first < from_) {
    const std::uint32_t known = driver.position_of(from_);
    left_ = {left_.docids + known, left_.places + known, left_.count - known};
  }
  if (least_ > 0 && left_.count > 0) sift();
  return left_.count > 0;
}

// Keeps what may reach least_: by the optional terms that a document needs one of, and by the driver's own scores.
void RequiredSearch::sift() {
  const std::uint64_t required = bound_of_required([](const Joined& one) { return one.range_bound(); });
  if (required < least_) keep_with_optional(required);
  Joined& leader = *order_.front();
  const std::uint64_t others = required - (leader.in_phrase ? 0 : leader.range_bound()) + more_;
  constexpr std::uint32_t kWorthScoring = 16;  // fewer are scored one by one
  if (leader.in_phrase || !leader.is_plain() || others >= least_ || left_.count < kWorthScoring) return;
  CandidateBuffer& kept = kept_[0].holds(left_) ? kept_[1] : kept_[0];
  kept.clear();
  kept.add_reaching(left_, leader.reader().scores(), least_ - others);
  outcome_.exact &= kept.size() == left_.count;
  left_ = kept.view();
}

// Of optional terms that together with the required ones cannot give the score, a document needs one more than these.
void RequiredSearch::keep_with_optional(std::uint64_t required) {
  by_bound_.clear();
  for (Joined& one : optional_)
    if (one.range_bound() > 0) by_bound_.push_back(&one);
  std::ranges::sort(by_bound_, {}, [](const Joined* one) { return one->range_bound(); });
  std::size_t needless = 0;
  for (std::uint64_t sum = required; needless < by_bound_.size(); ++needless)
    if ((sum += by_bound_[needless]->range_bound()) >= least_) break;
  for (std::size_t i = needless; i < by_bound_.size(); ++i) {
    Joined& list = *by_bound_[i];
    list.looked_up = true;
    list.found = {};
    for (std::uint32_t at = 0; at < left_.count && list.find(left_.docids[at]);) {
      const std::uint32_t end = left_.end_of(at, list.last());
      const Candidates run{left_.docids + at, left_.places + at, end - at};
      at = end;
      list.reader().enter(list.block());
      if (list.reader().corrupt()) return;
      sifted_.clear();
      table_.intersect(run, list.reader(), sifted_, list.postings);
      const Candidates here = sifted_.view();
      for (std::uint32_t j = 0; j < here.count; ++j)
        list.found[here.places[j] / 64] |= std::uint64_t{1} << here.places[j] % 64;
    }
  }
  kept_[0].clear();
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const auto has_it = [&](const Joined* one) { return one->looked_up && one->has(left_.places[i]); };
    if (std::ranges::any_of(by_bound_, has_it)) kept_[0].add(left_.docids[i], left_.places[i]);
  }
  outcome_.exact &= kept_[0].size() == left_.count;
  left_ = kept_[0].view();
}

// Keeps the documents of left_ that the list holds. False: it has ended, so no later document matches.
bool RequiredSearch::narrow(Joined& list, CandidateBuffer& kept) {
  kept.clear();
  bool more = true;
  for (std::uint32_t i = 0; i < left_.count;) {
    if (!list.find(left_.docids[i])) {
      more = false;
      break;
    }
    const std::uint32_t end = left_.end_of(i, list.last());
    const Candidates run{left_.docids + i, left_.places + i, end - i};
    i = end;
    if (least_ > 0) {
      const auto bound_of_list = [&](Joined& one) {
        return &one == &list ? one.bound_of(one.block()) : one.range_bound();
      };
      if (bound_of_required(bound_of_list) + more_ < least_) {
        outcome_.exact = false;
        continue;
      }
    }
    list.reader().enter(list.block());
    if (list.reader().corrupt()) return false;
    table_.intersect(run, list.reader(), kept, list.postings);
  }
  left_ = kept.view();
  return more;
}

std::uint32_t RequiredSearch::places_in(DocId docid) {
  const ByteView record = plan_.partition->token_codes(docid);
  if (record.empty()) return 0;
  const auto codes = partition::TokenCodes::open(record);
  if (!codes) {
    if (!error_) error_ = Error(codes.error()).within("document " + std::to_string(docid));
    return 0;
  }
  for (const auto& [word, hash] : words_) places_->words()[word].codes.assign(1, codes->code(hash));
  std::uint32_t count = 0;
  codes->for_each_field([&](const partition::TokenCodes::Field& field) {
    if (phrase_->field == kAllText || phrase_->field == field.field) count += places_->count(field, codes->width());
  });
  return count;
}

// Counts and scores the documents that are left.
void RequiredSearch::offer() {
  const std::uint64_t least = threshold_.least();
  std::array<std::uint32_t, kBlockLength> chosen;
  std::size_t few = 0;
  // Of each the bound of the phrase alone, too, which is scored last.
  std::array<std::uint64_t, kBlockLength> phrase_bounds;
  std::uint64_t more = 0;
  if (least_ > 0) more = more_;
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const std::uint32_t place = left_.places[i];
    std::uint64_t phrase = kNoBound;
    const std::uint64_t bound = bound_of_required([&](Joined& one) {
      const std::uint32_t block = &one == order_.front() ? one.reader().block() : one.postings[place] / kBlockLength;
      const std::uint64_t here = one.bound_of(block);
      if (one.bounds_phrase) phrase = std::min(phrase, here);
      return here;
    });
    if (least_ > 0 && bound + more < least) {
      outcome_.exact = false;
      continue;
    }
    chosen[few] = i;
    phrase_bounds[few] = phrase_ == nullptr ? 0 : phrase;
    ++few;
  }
  for (std::size_t c = 0; c < few; ++c) {
    order_.front()->reader().prefetch_length(left_.docids[chosen[c]]);
    if (phrase_ != nullptr && c < 8) __builtin_prefetch(plan_.partition->token_codes(left_.docids[chosen[c]]).data());
  }
  std::array<DocId, kBlockLength> docids;
  std::array<Score, kBlockLength> scores;
  std::size_t count = 0;
  for (std::size_t c = 0; c < few; ++c) {
    const DocId docid = left_.docids[chosen[c]];
    const std::uint32_t place = left_.places[chosen[c]];
    if (phrase_ != nullptr && c + 8 < few)
      __builtin_prefetch(plan_.partition->token_codes(left_.docids[chosen[c + 8]]).data());
    Score score = 0;
    for (Joined* const one : order_) {
      if (one->in_phrase) continue;
      const bool leads = one == order_.front();
      const std::uint32_t posting = leads ? one->reader().block() * kBlockLength + place : one->postings[place];
      clauses::add(score, one->score_at(posting / kBlockLength, posting % kBlockLength, docid));
    }
    if (least_ > 0 && score + phrase_bounds[c] + more < least) {
      outcome_.exact = false;
      continue;
    }
    if (phrase_ != nullptr) {
      const std::uint32_t frequency = places_in(docid);
      if (frequency == 0) continue;
      const engine::Plan& field = of_field(phrase_->field);
      if (docid >= field.lengths.size()) continue;  // never, of an intact partition
      clauses::add(score, times(scoring::contribution(phrase_->weight, frequency, field.lengths[docid], field.norm),
                                query_.phrase->boost));
    }
    ++outcome_.matches;
    for (Joined& one : optional_) {
      if (the_optional_is_required_) break;
      if (one.looked_up) {
        const std::uint32_t posting = one.postings[place];
        if (one.has(place)) clauses::add(score, one.score_at(posting / kBlockLength, posting % kBlockLength, docid));
      } else if (one.find(docid)) {
        if (const auto position = one.position_of(docid))
          clauses::add(score, one.score_at(one.block(), *position, docid));
      }
    }
    docids[count] = docid;
    scores[count] = score;
    count += score >= least;
  }
  threshold_.offer({docids.data(), scores.data()}, count);
}

// Looks each document that is left up in the lists of excluded terms.
void RequiredSearch::drop_excluded() {
  if (plan_.plan.hidden != nullptr) {
    sifted_.clear();
    sifted_.add_shown(left_, *plan_.plan.hidden);
    left_ = sifted_.view();
  }
  for (Joined& one : excluded_) {
    CandidateBuffer& kept = kept_[0].holds(left_) ? kept_[1] : kept_[0];
    kept.clear();
    for (std::uint32_t i = 0; i < left_.count; ++i)
      if (!one.find(left_.docids[i]) || !one.position_of(left_.docids[i])) kept.add(left_.docids[i], left_.places[i]);
    left_ = kept.view();
  }
}

Result<void> RequiredSearch::status() {
  for (auto* const lists : {&required_, &optional_, &excluded_})
    for (Joined& one : *lists)
      if (one.reader().corrupt()) return one.reader().error();
  if (error_) return *error_;
  return {};
}

Result<engine::Outcome> RequiredSearch::run() {
  if (!FROND_TRY(open())) return std::move(outcome_);
  for (std::uint32_t block = 0; going_on_ && block < order_.front()->reader().blocks(); ++block) {
    if ((phrase_ != nullptr || block % cpu::kBlocksBetweenGlances == 0) && plan_.plan.deadline.passed(clock_))
      return cpu::deadline_passed();
    if (needs_the_optional()) {
      from_ = order_.front()->reader().first_possible(block);
      require_the_optional();
      block = order_.front()->reader().list().find_block(from_, 0);
      if (block == order_.front()->reader().blocks()) break;
    }
    if (!start_block(block)) continue;
    for (std::size_t t = 1; t < order_.size() && left_.count > 0; ++t) {
      if (plan_.plan.deadline.passed(clock_)) return cpu::deadline_passed();
      going_on_ &= narrow(*order_[t], kept_[0].holds(left_) ? kept_[1] : kept_[0]);
    }
    if (left_.count > 0) drop_excluded();
    if (left_.count > 0) offer();
    FROND_TRY(status());
  }
  FROND_TRY(status());
  for (auto* const lists : {&required_, &optional_, &excluded_})
    for (Joined& one : *lists) outcome_.postings_decoded += one.reader().postings_decoded();
  outcome_.hits = threshold_.take();
  return std::move(outcome_);
}

bool are_terms(const std::vector<Node>& nodes) {
  return std::ranges::all_of(nodes, [](const Node& node) { return std::holds_alternative<TermNode>(node.what); });
}
bool is_plain_phrase(const Node& node) {
  const auto* const phrase = std::get_if<PhraseNode>(&node.what);
  return phrase != nullptr &&
         std::ranges::all_of(phrase->words, [](const auto& word) { return word.lists.size() == 1; });
}

// A document has the sum of those that it has, if any: so it is, too, if they are optional each by itself.
bool is_any_of_terms(const Node& node) {
  const auto* const any = std::get_if<BoolNode>(&node.what);
  return any != nullptr && node.boost == query::Factor() && any->must.empty() && any->must_not.empty() &&
         any->filter.empty() && any->minimum <= 1 && are_terms(any->should);
}
// False: there is one of another form.
bool add_optional(const std::vector<Node>& nodes, std::vector<const Node*>& optional) {
  for (const Node& node : nodes) {
    if (std::holds_alternative<TermNode>(node.what)) {
      optional.push_back(&node);
    } else if (is_any_of_terms(node)) {
      for (const Node& term : std::get<BoolNode>(node.what).should) optional.push_back(&term);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<RequiredQuery> required_query(const Node& root) {
  RequiredQuery query;
  if (is_plain_phrase(root)) {
    query.phrase = &root;
    return query;
  }
  const auto* const both = std::get_if<BoolNode>(&root.what);
  if (both == nullptr || root.boost != query::Factor() || !both->filter.empty() || !are_terms(both->must_not))
    return std::nullopt;
  const bool all = both->minimum != 0 && both->minimum == both->should.size();
  if (both->minimum != 0 && !all) return std::nullopt;
  for (const Node& node : both->must) {
    if (std::holds_alternative<TermNode>(node.what)) {
      query.required.push_back(&node);
    } else if (query.phrase == nullptr && is_plain_phrase(node)) {
      query.phrase = &node;
    } else {
      return std::nullopt;
    }
  }
  if (all && !are_terms(both->should)) return std::nullopt;
  if (all)
    for (const Node& node : both->should) query.required.push_back(&node);
  else if (!add_optional(both->should, query.optional))
    return std::nullopt;
  for (const Node& node : both->must_not) query.excluded.push_back(&node);
  if (query.required.empty() && query.phrase == nullptr) return std::nullopt;
  return query;
}

Result<engine::Outcome> search_required(const ClausePlan& plan, const RequiredQuery& query, const Clock& clock) {
  return RequiredSearch(plan, query, clock).run();
}

}  // namespace frond::leaf::clauses
