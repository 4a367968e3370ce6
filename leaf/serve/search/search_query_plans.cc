// Turns a search into plans: its terms are looked up in the generation once, then each partition gets a plan with the
// terms' lists in that partition, their weights and bounds. What is known of terms and lists comes from the table that
// all searches share (term_table.h).
#include <algorithm>
#include <utility>

#include "common/wire/messages.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

// Of the whole generation, known before lists are read: what the query and its filter read, and the values that orders
// and facets look at: one of each match, and of each document where keywords are counted, which have numbers first.
clauses::Work SearchQuery::work() const {
  clauses::Work work = has_clause() ? clause_->work : clauses::Work{known_->postings, 0, known_->postings};
  if (filter_) {
    work.postings += filter_->work.postings;
    work.values += filter_->work.values;
    work.matches = std::min(work.matches, filter_->work.matches);
  }
  work.values += work.matches * wanted_.sort.size();
  query::for_each_facet(wanted_.facets, [&](const query::Facet& facet) {
    const schema::Field* const field = schema().find(facet.field);
    const bool is_keyword = field != nullptr && field->type == schema::FieldType::kKeyword;
    work.values += is_keyword ? generation_->statistics.documents : work.matches;
  });
  for (const auto& [text, clauses] : facet_clauses_) {
    work.postings += clauses.work.postings;
    work.values += clauses.work.values;
  }
  return work;
}

// Of so much in the whole generation, the share of the largest partition of todo_, by its documents.
std::uint64_t SearchQuery::in_largest(std::uint64_t of_all) const {
  std::uint64_t largest = 0;
  for (const Slot* const slot : todo_)
    largest = std::max<std::uint64_t>(largest, slot->partition->open->partition().documents());
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  return static_cast<std::uint64_t>(static_cast<double>(of_all) * static_cast<double>(largest) / all);
}

// In postings; four values take as long as one. 0 if the terms could not be looked up.
std::uint64_t SearchQuery::work_in_largest() const {
  if (!known_) return 0;
  const clauses::Work all = work();
  return in_largest(all.postings + all.values / 4);
}

// How many hits a plan of the wave asks for.
std::uint32_t SearchQuery::depth() const {
  // `auto` needs to know whether AND has that many matches: engines may stop counting past k, unless nothing is ranked.
  if (request_.rank == wire::Rank::kScore && !request_.exact_total && request_.mode == wire::Mode::kAuto &&
      mode_ == engine::Mode::kAnd)
    return std::min<std::uint32_t>(std::max(request_.depth, request_.auto_needs), wire::kMaxDepth);
  return request_.depth;
}

// Asks the store only for lists that the table of terms does not lead to. Fetches nothing for AND if a term is known to
// be in no document of the partition. The lists are kept for the second wave.
Result<void> SearchQuery::fetch_lists(Slot& slot) {
  if (slot.lists.empty()) slot.lists = FROND_TRY(lists_of(slot, *known_));
  return {};
}

// None, for AND, if the partition is known to lack a term. Null: it lacks the term.
Result<std::vector<lists::ListLease>> SearchQuery::lists_of(Slot& slot, const KnownTerms& known) {
  const bool needs_all = mode_ == engine::Mode::kAnd && &known == &*known_ && !has_clause();
  const generation::ServedPartition& partition = *slot.partition;
  const std::size_t place = place_of(partition);
  std::vector<lists::ListLease> found(known.terms.size());
  std::vector<lists::ListKey> keys;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const KnownTerm& term = *known.terms[i].term;
    if (auto lease = term.on_host(place)) {
      if (*lease == nullptr && needs_all) return std::vector<lists::ListLease>();
      found[i] = *std::move(lease);
      continue;
    }
    keys.push_back({partition.open->number(), term.text()});
    missing.push_back(i);
  }
  if (keys.size() < found.size()) parts_.lists.used_again(found.size() - keys.size());
  if (keys.empty()) {
    metrics_.lists.observe(0);  // so that its share of a query's time stays known where nothing is fetched
  } else {
    const Instant before = parts_.clock.now();
    auto fetched = FROND_TRY(parts_.lists.fetch(keys, deadline_));
    const Instant after = parts_.clock.now();
    slot.profile.lists_us += micros_between(before, after);
    metrics_.lists.observe(seconds_between(before, after));
    for (std::size_t i = 0; i < missing.size(); ++i) {
      known.terms[missing[i]].term->keep(place, fetched[i]);
      if (fetched[i]->postings.count() != 0) found[missing[i]] = std::move(fetched[i]);
    }
  }
  return found;
}

// A plan with all but its terms.
engine::Plan SearchQuery::without_terms(const Slot& slot, engine::SharedFloor& floor) const {
  const generation::ServedPartition& served = *slot.partition;
  engine::Plan plan;
  plan.mode = words_mode();
  plan.k = depth();
  plan.ranked = request_.rank == wire::Rank::kScore;
  plan.count_to =
      request_.exact_total ? engine::Plan::kCountAll : std::max<std::uint64_t>(plan.k, engine::Plan::kCountOfLeaves);
  plan.exact_matches = request_.exact_total;
  plan.lengths = served.open->partition().lengths();
  plan.partition = served.open->number();
  plan.norm = scoring::length_norm(bm25(), generation_->statistics);
  plan.placement = served.placement;
  plan.hidden = hidden(slot);
  if (plan.ranked && request_.prior_weight != 0) plan.priors = served.open->partition().priors();
  plan.prior_weight = request_.prior_weight;
  plan.deadline = deadline_;
  plan.floor = &floor;
  if (known_) plan.terms.reserve(known_->terms.size());
  return plan;
}

scoring::BoundScale SearchQuery::bounds(float weight, const partition::Partition& partition,
                                        std::uint32_t field) const {
  if (field != clauses::kAllText) return scoring::BoundScale(weight);
  return {weight, bm25(), generation_->statistics, {generation_->bm25.b, partition.built_average_length()}};
}

// Without its list. Adds its field to the plan.
engine::PlanTerm SearchQuery::plan_term(std::size_t term, const partition::Partition& partition,
                                        engine::Plan& plan) const {
  const float weight = known_->terms[term].weight;
  engine::PlanTerm made{.weight = weight, .bounds = bounds(weight, partition, field_of(term))};
  if (!flat_) return made;
  made.role = flat_->terms[term].role;
  made.factor = flat_->terms[term].factor;
  if (made.role != engine::TermRole::kExcluded)
    made.field = clauses::add_field(clause_->resolved, field_of(term), plan);
  return made;
}

// Empty: no document of the partition matches. Null in slot.lists: the partition does not have the term. The engine
// reads and raises `floor`.
Result<std::optional<engine::Plan>> SearchQuery::plan(Slot& slot, engine::SharedFloor& floor) {
  if (!known_) return Error(known_.error());
  const auto& known = known_->terms;
  if (known.empty() || (words_mode() == engine::Mode::kAnd && !known_->all_known))
    return std::optional<engine::Plan>();  // nothing matches in any partition
  const partition::Partition& partition = slot.partition->open->partition();
  FROND_TRY(slot.partition->open->intact());  // a partition that is known to be damaged is not searched
  FROND_TRY(fetch_lists(slot));
  if (slot.lists.empty()) return std::optional<engine::Plan>();
  FROND_TRY(filter(slot));
  engine::Plan plan = without_terms(slot, floor);
  add_codes(slot, plan);
  plan.minimum = minimum();
  std::vector<clauses::ListNumber> there;  // which of the terms, for a phrase
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (slot.lists[i] == nullptr) {
      if (is_required(i)) return std::optional<engine::Plan>();
      continue;
    }
    plan.terms.push_back(plan_term(i, partition, plan));
    plan.terms.back().list = slot.lists[i];
    if (has_phrase()) there.push_back(static_cast<clauses::ListNumber>(i));
  }
  if (plan.terms.empty() || !engine::has_enough_terms(plan)) return std::optional<engine::Plan>();
  add_phrase(slot, there, plan);
  if (!add_lengths(slot, plan))
    return Error(Code::kCorrupt, "a partition has lists of a field, but no lengths of documents in it");
  return std::optional<engine::Plan>(std::move(plan));
}

// Of a plan of device leases. False: some are not there.
bool SearchQuery::find_codes(engine::Plan& plan) const {
  for (const auto& codes : engine::codes_of(plan)) {
    plan.codes_on_device.push_back(parts_.device->find_array(codes->owner()));
    if (plan.codes_on_device.back() == nullptr) return false;
  }
  return true;
}

// A plan of device leases (engine/plan.h), without lists in host memory, if all lists are on the device. Otherwise, or
// if no document matches, nothing: then call plan().
std::optional<engine::Plan> SearchQuery::plan_on_device(Slot& slot) {
  const generation::ServedPartition& served = *slot.partition;
  const partition::Partition& partition = served.open->partition();
  if (parts_.device == nullptr || !known_ || (words_mode() == engine::Mode::kAnd && !known_->all_known) ||
      !served.open->intact())
    return std::nullopt;
  const std::size_t place = place_of(served);
  if (!filter(slot)) return std::nullopt;
  engine::Plan plan = without_terms(slot, floor());
  add_codes(slot, plan);
  plan.minimum = minimum();
  if (plan.hidden != nullptr) plan.hidden_on_device = parts_.device->find_array(plan.hidden->words());
  if (plan.hidden != nullptr && plan.hidden_on_device == nullptr) return std::nullopt;
  if (engine::adds_priors(plan)) plan.priors_on_device = parts_.device->find_array(plan.priors->arrays());
  if (engine::adds_priors(plan) && plan.priors_on_device == nullptr) return std::nullopt;
  std::vector<clauses::ListNumber> there;
  for (std::size_t i = 0; i < known_->terms.size(); ++i) {
    const KnownTerms::Term& term = known_->terms[i];
    auto lease = term.term->on_device(place, plan.partition, *parts_.device);
    if (!lease || (*lease == nullptr && is_required(i))) return std::nullopt;
    if (*lease == nullptr) continue;
    plan.terms.push_back(plan_term(i, partition, plan));
    plan.terms.back().on_device = *std::move(lease);
    if (has_phrase()) there.push_back(static_cast<clauses::ListNumber>(i));
  }
  if (plan.terms.empty() || !engine::has_enough_terms(plan)) return std::nullopt;
  add_phrase(slot, there, plan);
  if (!add_lengths(slot, plan) || !find_codes(plan)) return std::nullopt;
  return plan;
}

// To a plan whose terms are these of the query.
void SearchQuery::add_phrase(const Slot& slot, std::span<const clauses::ListNumber> terms, engine::Plan& plan) const {
  if (!has_phrase()) return;
  plan.phrase = clauses::device_phrase(clause_->resolved, *flat_->phrase, terms);
  plan.phrase->factor = flat_->phrase_factor;
  plan.phrase->field = clauses::add_field(clause_->resolved, flat_->phrase->field, plan);
  plan.phrase->sequences = slot.sequences;
  plan.phrase->bounds = bounds(flat_->phrase->weight, slot.partition->open->partition(), flat_->phrase->field);
}

// False: the partition has none of a field.
bool SearchQuery::add_lengths(const Slot& slot, engine::Plan& plan) {
  for (engine::PlanField& field : plan.fields) {
    field.lengths = clauses::device_lengths(slot.partition->open->partition().lengths_in(field.number));
    if (field.lengths == nullptr) return false;
  }
  return true;
}

}  // namespace frond::leaf::serve
