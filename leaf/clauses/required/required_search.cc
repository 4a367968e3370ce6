#include "leaf/clauses/required/required_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leaf/clauses/required/phrase_check.h"
#include "leaf/clauses/required/query_lists.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::clauses {
namespace {

using cpu::CandidateBuffer;
using cpu::Candidates;
using postings::kBlockLength;

// Documents whose sequences are looked at together: to wait for the first takes as long as to look at a few.
constexpr std::size_t kEnough = 32;
constexpr std::uint32_t kWorthScoring = 32;  // fewer documents of a block are scored one by one

class RequiredSearch {
 public:
  RequiredSearch(const ClausePlan& plan, const RequiredQuery& query, const Clock& clock)
      : plan_(plan), query_(query), clock_(clock), lists_(plan, query), threshold_(plan.plan) {
    if (query.phrase == nullptr) return;
    phrase_ = &std::get<PhraseNode>(query.phrase->what);
    check_.emplace(*plan.query, *phrase_, *plan.partition);
  }
  Result<engine::Outcome> run();

 private:
  bool start_block(std::uint32_t block);
  void sift();
  bool narrow(JoinedList& list);
  void keep_repeated(JoinedList& list);
  void drop_excluded();
  void drop_by_blocks();
  void score_required();
  void keep_reaching();
  void add_optional();
  void await_sequences();
  void look_at_sequences();
  void offer();
  Result<void> status() const;
  // Where what is kept of left_ may go.
  CandidateBuffer& free_buffer() {
    CandidateBuffer& buffer = kept_[kept_[0].holds(left_) ? 1 : 0];
    buffer.clear();
    return buffer;
  }
  // Those that are not among them can't be among the best.
  void leave(CandidateBuffer& kept) {
    if (kept.size() != left_.count) outcome_.exact = false;
    left_ = kept.view();
  }
  std::uint32_t posting_of(const JoinedList& list, std::uint32_t place) const {
    return &list == &lists_.driver() ? list.reader().block() * kBlockLength + place : list.postings[place];
  }

  const ClausePlan& plan_;
  const RequiredQuery& query_;
  const Clock& clock_;
  QueryLists lists_;
  cpu::Threshold threshold_;
  const PhraseNode* phrase_ = nullptr;
  std::optional<PhraseCheck> check_;
  DocId from_ = 0;           // documents before are done with
  std::uint64_t least_ = 0;  // score to reach in the driver's block; 0: every match is counted
  std::uint64_t more_ = 0;   // if least_ > 0: that the optional terms may add there
  bool going_on_ = true;     // later blocks may have matches
  engine::Outcome outcome_;
  Candidates left_;  // in the driver's block
  CandidateBuffer kept_[2];
  CandidateBuffer found_;      // of left_, in the list of an excluded term
  SumsByPlace sums_;           // of the scores of required and optional terms, and phrase_bounds_
  SumsByPlace phrase_bounds_;  // what the phrase adds at most
  // Documents, ascending, whose sequences are to be looked at for the phrase. Their sums are without it.
  struct Awaited {
    DocId docid = 0;
    ByteView sequence;
    std::uint64_t sum = 0, phrase_bound = 0;
  };
  std::vector<Awaited> awaited_;
};

// Fills left_ with the documents of the driver's block that may be hits or must be counted. False: there are none.
bool RequiredSearch::start_block(std::uint32_t block) {
  cpu::TermReader& driver = lists_.driver().reader();
  const DocId first = driver.first_possible(block), last = driver.list().last_docid(block);
  if (plan_.plan.priors != nullptr) threshold_.look_at(first, last);
  least_ = outcome_.matches >= plan_.plan.count_to ? threshold_.least() : 0;
  if (least_ > 0)
    for (JoinedList* const one : lists_.required())
      if (!one->look(first, last)) return going_on_ = false;
  lists_.optional().start_block();
  if (least_ > 0) {
    more_ = lists_.optional().look(first, last);
    if (lists_.range_bound().all() + more_ < least_) {
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
  keep_repeated(lists_.driver());
  if (least_ > 0 && left_.count > 0) sift();
  return left_.count > 0;
}

// Keeps what may reach least_ by the optional terms that it needs one of, and by the driver's own scores.
void RequiredSearch::sift() {
  JoinedList& driver = lists_.driver();
  const QueryLists::Bound bound = lists_.range_bound();
  if (bound.all() < least_) {
    CandidateBuffer& kept = free_buffer();
    lists_.optional().keep_with_one(left_, bound.all(), least_, kept);
    leave(kept);
  }
  if (driver.is_boosted() || left_.count < kWorthScoring || (driver.in_phrase && !driver.bounds_phrase)) return;
  const std::uint64_t others =
      more_ + (driver.in_phrase ? bound.terms : bound.all() - std::min(bound.all(), driver.range_bound()));
  if (others >= least_) return;
  const std::uint64_t least = least_ - others;
  CandidateBuffer& kept = free_buffer();
  kept.add_reaching(left_, driver.reader().scores(), driver.in_phrase ? JoinedList::score_for_phrase(least) : least);
  leave(kept);
}

// Keeps the documents of left_ that the list holds. False: it has ended, so no later document matches.
bool RequiredSearch::narrow(JoinedList& list) {
  CandidateBuffer& kept = free_buffer();
  const auto* const index = cpu::index_for(left_, list.reader());
  bool more = index == nullptr || cpu::intersect(left_, *index, kept, &list.postings);
  for (std::uint32_t i = 0; index == nullptr && i < left_.count;) {
    if (!list.find(left_.docids[i])) {
      more = false;
      break;
    }
    const std::uint32_t end = left_.end_of(i, list.last());
    const Candidates run{left_.docids + i, left_.places + i, end - i};
    i = end;
    if (least_ > 0) {
      const auto bound_of_list = [&](JoinedList& one) {
        return &one == &list ? one.bound_of(one.block()) : one.range_bound();
      };
      if (lists_.bound_of_required(bound_of_list).all() + more_ < least_) {
        outcome_.exact = false;
        continue;
      }
    }
    list.reader().enter(list.block());
    if (list.reader().corrupt()) {
      left_.count = 0;  // of the rest nothing is known
      return false;
    }
    cpu::intersect(run, list.reader(), kept, &list.postings);
  }
  left_ = kept.view();
  keep_repeated(list);
  return more;
}

// Keeps the documents that have a word as often as the phrase.
void RequiredSearch::keep_repeated(JoinedList& list) {
  if (list.occurrences == 1) return;
  CandidateBuffer& kept = free_buffer();
  kept.add_if(left_, 0, left_.count, [&](std::uint32_t place) {
    const std::uint32_t posting = posting_of(list, place);
    return list.reader().frequency_of(posting / kBlockLength, posting % kBlockLength) >= list.occurrences;
  });
  left_ = kept.view();
}

// Of what is left, the documents that are hidden and those that the lists of excluded terms have.
void RequiredSearch::drop_excluded() {
  if (plan_.plan.hidden != nullptr) {
    CandidateBuffer& kept = free_buffer();
    kept.add_shown(left_, *plan_.plan.hidden);
    left_ = kept.view();
  }
  for (JoinedList& one : lists_.excluded()) {
    CandidateBuffer& kept = free_buffer();
    const auto* const index = cpu::index_for(left_, one.reader());
    std::uint32_t done = 0;
    while (done < left_.count && (index != nullptr || one.find(left_.docids[done]))) {
      const std::uint32_t begin = std::exchange(done, index != nullptr ? left_.count : left_.end_of(done, one.last()));
      const Candidates some{left_.docids + begin, left_.places + begin, done - begin};
      found_.clear();
      if (index != nullptr) {
        cpu::intersect(some, *index, found_, nullptr);
      } else {
        one.reader().enter(one.block());
        cpu::intersect(some, one.reader(), found_, nullptr);
      }
      const Candidates found = found_.view();
      std::array<std::uint64_t, kBlockLength / 64> bits{};  // by place
      for (std::uint32_t i = 0; i < found.count; ++i)
        bits[found.places[i] / 64] |= std::uint64_t{1} << found.places[i] % 64;
      kept.add_if(left_, begin, done, [&](std::uint32_t place) { return (bits[place / 64] >> place % 64 & 1) == 0; });
    }
    kept.add_if(left_, done, left_.count, [](std::uint32_t) { return true; });
    left_ = kept.view();
  }
}

// Keeps those whose blocks' bounds may reach least_.
void RequiredSearch::drop_by_blocks() {
  CandidateBuffer& kept = free_buffer();
  kept.add_if(left_, 0, left_.count, [&](std::uint32_t place) {
    const auto bound_of_list = [&](JoinedList& one) { return one.bound_of(posting_of(one, place) / kBlockLength); };
    return lists_.bound_of_required(bound_of_list).all() + more_ >= least_;
  });
  leave(kept);
}

// Fills sums_ and phrase_bounds_ of the documents that are left, and keeps those that may reach least_.
void RequiredSearch::score_required() {
  if (least_ > 0 && lists_.required().size() > 1) drop_by_blocks();
  JoinedList& driver = lists_.driver();
  if (lists_.required().size() == 1 && !driver.in_phrase && !driver.is_boosted() && left_.count >= kWorthScoring) {
    const Score* const scores = driver.reader().scores();  // all at once
    for (std::uint32_t i = 0; i < left_.count; ++i) sums_[left_.places[i]] = scores[left_.places[i]];
    return keep_reaching();
  }
  for (std::uint32_t i = 0; i < left_.count; ++i) driver.reader().prefetch_length(left_.docids[i]);
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const std::uint32_t place = left_.places[i];
    std::uint64_t sum = 0, phrase = phrase_ == nullptr ? 0 : kNoBound;
    for (JoinedList* const one : lists_.required()) {
      if (!one->in_phrase)
        sum += one->score_of(posting_of(*one, place), left_.docids[i]);
      else if (one->bounds_phrase && least_ > 0)
        phrase = std::min(phrase, one->phrase_bound_of(posting_of(*one, place), left_.docids[i]));
    }
    sums_[place] = sum + phrase;
    phrase_bounds_[place] = phrase;
  }
  keep_reaching();
}

void RequiredSearch::keep_reaching() {
  if (least_ == 0) return;
  CandidateBuffer& kept = free_buffer();
  kept.add_if(left_, 0, left_.count, [&](std::uint32_t place) { return sums_[place] + more_ >= least_; });
  leave(kept);
}

void RequiredSearch::add_optional() {
  const std::uint32_t before = left_.count;
  left_ = lists_.optional().add(left_, least_, sums_, kept_[0], kept_[1]);
  if (left_.count != before) outcome_.exact = false;
}

void RequiredSearch::await_sequences() {
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const DocId docid = left_.docids[i];
    Awaited& one = awaited_.emplace_back();
    one.docid = docid;
    one.sequence = check_->fetch(docid);
    one.phrase_bound = phrase_bounds_[left_.places[i]];
    one.sum = sums_[left_.places[i]] - one.phrase_bound;
  }
  const bool are_of_the_block = plan_.plan.priors != nullptr;
  if (are_of_the_block || awaited_.size() >= kEnough) look_at_sequences();
}

// Offers those that have the phrase.
void RequiredSearch::look_at_sequences() {
  if (awaited_.empty()) return;
  const engine::Plan& field = lists_.of_field(phrase_->field);
  least_ = outcome_.matches >= plan_.plan.count_to ? threshold_.least() : 0;
  std::array<DocId, kEnough + kBlockLength> docids;
  std::array<Score, kEnough + kBlockLength> scores;
  std::size_t count = 0;
  for (const Awaited& one : awaited_) {
    std::uint64_t sum = one.sum + one.phrase_bound;
    if (sum >= least_) {
      const std::uint32_t frequency = check_->frequency(one.docid, one.sequence);
      if (frequency == 0 || one.docid >= field.lengths.size()) continue;  // the latter never, of an intact partition
      const Score score = scoring::contribution(phrase_->weight, frequency, field.lengths[one.docid], field.norm);
      sum = one.sum + times(score, query_.phrase->boost);
    }
    if (sum < least_) {
      outcome_.exact = false;
    } else {
      docids[count] = one.docid;
      scores[count++] = capped(sum);
    }
  }
  awaited_.clear();
  outcome_.matches += count;
  threshold_.offer({docids.data(), scores.data()}, count);
}

void RequiredSearch::offer() {
  outcome_.matches += left_.count;
  const std::uint64_t least = threshold_.least();
  std::array<DocId, kBlockLength> docids;
  std::array<Score, kBlockLength> scores;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    docids[count] = left_.docids[i];
    scores[count] = capped(sums_[left_.places[i]]);
    count += scores[count] >= least;
  }
  threshold_.offer({docids.data(), scores.data()}, count);
}

Result<void> RequiredSearch::status() const {
  FROND_TRY(lists_.status());
  if (check_ && check_->error()) return *check_->error();
  return {};
}

Result<engine::Outcome> RequiredSearch::run() {
  if (!FROND_TRY(lists_.open(check_ ? check_->hashes() : std::span<const std::uint64_t>()))) return std::move(outcome_);
  if (lists_.are_those_of_the_driver()) {
    cpu::ShownPostings shown(plan_.plan);
    threshold_.start_at(cpu::first_threshold(lists_.driver().reader(), plan_.plan, shown));
  }
  for (std::uint32_t block = 0; going_on_ && block < lists_.driver().reader().blocks(); ++block) {
    if ((phrase_ != nullptr || block % cpu::kBlocksBetweenGlances == 0) && plan_.plan.deadline.passed(clock_))
      return cpu::deadline_passed();
    if (plan_.plan.priors == nullptr && outcome_.matches >= plan_.plan.count_to &&
        lists_.need_the_optional(threshold_.least())) {
      outcome_.exact = false;
      from_ = lists_.driver().reader().first_possible(block);
      lists_.require_the_optional();
      block = lists_.driver().reader().list().find_block(from_, 0);
      if (block == lists_.driver().reader().blocks()) break;
    }
    if (!start_block(block)) continue;
    for (std::size_t t = 1; t < lists_.required().size() && left_.count > 0; ++t) {
      if (plan_.plan.deadline.passed(clock_)) return cpu::deadline_passed();
      going_on_ &= narrow(*lists_.required()[t]);
    }
    // Where scores drop some, only the others are looked up in the lists of excluded terms.
    if (left_.count > 0 && least_ == 0) drop_excluded();
    if (left_.count > 0) score_required();
    if (left_.count > 0 && least_ > 0) drop_excluded();
    if (left_.count > 0) add_optional();
    if (phrase_ != nullptr)
      await_sequences();
    else if (left_.count > 0)
      offer();
    FROND_TRY(status());
  }
  look_at_sequences();
  FROND_TRY(status());
  outcome_.postings_decoded = lists_.postings_decoded();
  outcome_.hits = threshold_.take();
  return std::move(outcome_);
}

}  // namespace

Result<engine::Outcome> search_required(const ClausePlan& plan, const RequiredQuery& query, const Clock& clock) {
  return RequiredSearch(plan, query, clock).run();
}

}  // namespace frond::leaf::clauses
