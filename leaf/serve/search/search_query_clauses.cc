// A search's clause and filter: read and resolved once, then evaluated on each partition.
#include <algorithm>
#include <utility>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/clauses/resolve/near_terms.h"
#include "leaf/serve/search/clause_resolution.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {
namespace {

void add_words(const query::Clause& clause, text::Analyzer& analyzer, std::vector<std::string>& words) {
  const auto add_text = [&](const std::string& text) {
    for (std::string& term : analyzer.query_terms(text)) words.push_back(std::move(term));
  };
  if (const auto* text = clause.as<query::Words>()) return add_text(text->text);
  if (const auto* phrase = clause.as<query::Phrase>()) return add_text(phrase->text);
  if (const auto* both = clause.as<query::Bool>()) {
    for (const query::Clause& one : both->must) add_words(one, analyzer, words);
    for (const query::Clause& one : both->should) add_words(one, analyzer, words);
    return;
  }
  query::for_each_child(clause, [&](const query::Clause& one) { add_words(one, analyzer, words); });
}

}  // namespace

std::vector<std::string> words_of(std::string_view clause, text::Analyzer& analyzer) {
  std::vector<std::string> words;
  if (const auto read = query::parse_clause(clause, "clause")) add_words(*read, analyzer, words);
  return words;
}

Result<void> SearchQuery::find_near() {
  constexpr std::size_t kLooksPerExpansion = 1024;  // as of a pattern (leaf/clauses/resolve/resolver.h)
  const std::size_t most = parts_.max_expansions * kLooksPerExpansion;
  const Deadline half = deadline_.half(parts_.clock);
  std::size_t left = most;  // of words that only an absent one is asked for: the answer can do without them
  for (const query::NearWord& one : request_.near) {
    std::size_t own = most;
    auto found =
        clauses::near_terms(one, schema(), *generation_->terms, one.only_absent ? left : own,
                            [&, until = one.only_absent ? half : deadline_] { return until.passed(parts_.clock); });
    if (!found && found.error().code() == Code::kDeadline && !deadline_.passed(parts_.clock))
      found = query::NearTerms{.df = 0, .terms = {}, .whole = false};
    near_.push_back(FROND_TRY(std::move(found)));
  }
  return {};
}

// Takes a clause of weights of impacts as terms, if their sums fit into a Score. False: the clause is something else.
Result<bool> SearchQuery::take_weights(const query::Clause& clause) {
  const auto* const weights = clause.as<query::Weights>();
  if (weights == nullptr || !scoring::are_impacts(generation_->bm25) || request_.mode != wire::Mode::kOr ||
      !request_.sort.empty() || !request_.facets.empty() || weights->tokens.size() > scoring::kMaxQueryTerms)
    return false;
  FROND_TRY(query::bind(clause, *generation_->schema, "clause"));
  std::uint64_t units = 0;
  std::vector<wire::QueryTerm> terms;
  for (const query::WeightedToken& token : weights->tokens) {
    if (token.weight.units == 0) continue;
    units += token.weight.units;
    terms.push_back({token.token, token.weight.units});
  }
  if (units > scoring::kMaxImpactUnits) return false;
  known_ = FROND_TRY(look_up(*generation_, bm25(), terms, parts_.terms));
  // The units are in place of occurrences, which weigh 256 times as much. Exact.
  for (KnownTerms::Term& term : known_->terms) term.weight /= query::Factor::kOne;
  return true;
}

// Errors: kInvalid; kCorrupt, kUnavailable from reading statistics.
Result<void> SearchQuery::read_clauses() {
  if (has_clause()) {
    auto clause = FROND_TRY(query::parse_clause(request_.clause, "clause"));
    are_weights_ = FROND_TRY(take_weights(clause));
    if (!are_weights_) {
      clause_has_auto_ = query::has_auto(clause);
      clause_.emplace().clause = std::move(clause);
      FROND_TRY(resolve_clause());
    }
  }
  if (request_.filter.empty()) return {};
  bool all_known = parts_.filters != nullptr && generation_->serial != 0;
  if (all_known)
    for (Slot* const slot : todo_) {
      slot->left_out = parts_.filters->find({generation_->serial, slot->partition->number, request_.filter});
      all_known = all_known && slot->left_out != nullptr;
    }
  if (all_known) return {};
  return resolve_filter(FROND_TRY(query::parse_clause(request_.filter, "filter")), filter_.emplace());
}

Result<void> SearchQuery::resolve_filter(query::Clause clause, Clauses& into) const {
  clause = query::resolved(std::move(clause), query::Mode::kOr);
  FROND_TRY(resolve(clause, into));
  if (!std::holds_alternative<clauses::NoneNode>(into.resolved.root.what)) return {};
  // Stop words alone ask for nothing, so as a filter they leave nothing out: as beside anything else.
  query::Bool beside;
  beside.must.push_back({query::All()});
  beside.filter.push_back(std::move(clause));
  into = {};
  return resolve({std::move(beside)}, into);
}

// For the wave.
Result<void> SearchQuery::resolve_clause() {
  const query::Mode mode = mode_ == engine::Mode::kAnd ? query::Mode::kAnd : query::Mode::kOr;
  FROND_TRY(resolve(query::resolved(clause_->clause, mode), *clause_));
  known_ = clause_->known;
  flat_.reset();
  if (parts_.queries != nullptr && !scoring::are_impacts(generation_->bm25))
    flat_ = clauses::flat_query(clause_->resolved);
  // Counts, orders and documents by their order are of words, which need no count of their own.
  const bool counts_all = collects() || request_.rank != wire::Rank::kScore;
  if (flat_ && counts_all && !flat_->is_words) flat_.reset();
  if (flat_ && counts_all) flat_->minimum = 0;
  if (flat_)
    for (std::size_t i = 0; i < known_->terms.size(); ++i) known_->terms[i].weight = flat_->terms[i].weight;
  for (Slot& slot : slots_) slot.lists.clear();
  return {};
}

const schema::Schema& SearchQuery::schema() const {
  static const schema::Schema no_fields;
  return generation_->schema != nullptr ? *generation_->schema : no_fields;
}

Result<void> SearchQuery::resolve(const query::Clause& clause, Clauses& into) const {
  const generation::ServedGeneration& generation = *generation_;
  into.resolved = FROND_TRY(resolve_in(generation, clause, bm25(), parts_, deadline_));
  into.work = clauses::work_of(into.resolved);
  std::vector<wire::QueryTerm> terms;
  terms.reserve(into.resolved.lists.size());
  for (const clauses::QueryList& list : into.resolved.lists) terms.push_back({list.term, 1});
  into.known = FROND_TRY(look_up(generation, bm25(), terms, parts_.terms));
  if (into.known.terms.size() != terms.size())
    return Error(Code::kCorrupt, "document frequencies differ from one look-up to the next");
  return {};
}

// For clauses whose AND and OR differ the tree is another one.
void SearchQuery::begin_disjunction() {
  mode_ = engine::Mode::kOr;
  Result<void> ready;
  try {
    if (has_clause()) ready = resolve_clause();
  } catch (const std::exception&) {  // out of memory
    ready = Error(Code::kUnavailable, "out of memory");
  }
  if (ready) return wave(engine::Mode::kOr);
  for (Slot& slot : slots_)
    if (!slot.unsearched) slot.unsearched = wire::reason_of(ready.error().code());
  finish();
}

clauses::ClausePlan SearchQuery::clause_plan(const Slot& slot, const Clauses& clauses,
                                             std::vector<lists::ListLease> lists,
                                             const clauses::SearchedPartition& partition) {
  return {without_terms(slot, floor()),
          &clauses.resolved,
          std::move(lists),
          &partition,
          {generation_->bm25.b, slot.partition->open->partition().built_average_length()}};
}

// Finds what the filter leaves out of the partition, unless that is known.
Result<void> SearchQuery::filter(Slot& slot) {
  if (request_.filter.empty() || slot.left_out != nullptr) return {};
  slot.left_out = FROND_TRY(left_out_by(slot, request_.filter, *filter_));
  return {};
}

// What a filter, whose normal form is `text`, leaves out of the partition, with what is hidden there.
Result<FilterCache::Documents> SearchQuery::left_out_by(Slot& slot, const std::string& text, const Clauses& clauses) {
  const partition::Partition& partition = slot.partition->open->partition();
  const clauses::OpenedPartition opened(partition);
  const std::vector<lists::ListLease> lists = FROND_TRY(lists_of(slot, clauses.known));
  const auto shown = FROND_TRY(clauses::matching(clause_plan(slot, clauses, lists, opened), parts_.clock));
  FROND_TRY(slot.partition->open->intact());
  for (const lists::ListLease& list : lists)
    if (list != nullptr) FROND_TRY(list->intact());
  auto left_out = partition::HiddenDocuments::all_but(partition.documents(), shown, slot.partition->hidden.get());
  if (parts_.filters != nullptr && generation_->serial != 0)
    parts_.filters->keep({generation_->serial, slot.partition->number, text}, left_out);
  return left_out;
}

Result<engine::Outcome> SearchQuery::search_clause(Slot& slot) {
  const partition::Partition& partition = slot.partition->open->partition();
  FROND_TRY(slot.partition->open->intact());  // a partition that is known to be damaged is not searched
  const Instant begun = parts_.clock.now();
  const std::uint64_t lists_before = slot.profile.lists_us;
  FROND_TRY(fetch_lists(slot));
  FROND_TRY(filter(slot));
  const clauses::OpenedPartition opened(partition);
  const clauses::ClausePlan plan = clause_plan(slot, *clause_, slot.lists, opened);
  auto outcome = collects() ? collect(slot, plan) : clauses::search(plan, parts_.clock);
  const Instant ended = parts_.clock.now();
  (collects() ? metrics_.collect : metrics_.clauses).observe(seconds_between(begun, ended));
  slot.profile.engine = "clauses";
  if (sorts()) slot.profile.engine += ", sorted";
  if (counts_facets()) slot.profile.engine += ", facets";
  slot.on_cpu = true;
  const std::uint64_t spent = micros_between(begun, ended), lists = slot.profile.lists_us - lists_before;
  slot.cpu_us = spent - std::min(spent, lists);
  slot.profile.engine_us += slot.cpu_us;
  return outcome;
}

// Of a ranking whose engine did not count all matches.
Result<void> SearchQuery::count_exactly(Slot& slot, engine::Outcome& outcome) {
  auto plan = FROND_TRY(this->plan(slot, floor()));
  if (!plan) return {};
  plan->ranked = false;
  plan->k = 0;
  auto counted = parts_.engine.search(std::span(&*plan, 1), parts_.clock);
  if (!counted[0]) return std::move(counted[0]).error();
  outcome.matches = counted[0]->matches;
  outcome.exact = counted[0]->exact;
  outcome.postings_decoded += counted[0]->postings_decoded;
  return {};
}

}  // namespace frond::leaf::serve
