#include "leaf/serve/search_plans.h"

#include <algorithm>
#include <utility>

#include "common/wire/messages.h"
#include "leaf/serve/search_times.h"

namespace frond::leaf::serve {

std::uint64_t SearchPlans::postings_in(const generation::ServedPartition& partition) const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  return static_cast<std::uint64_t>(static_cast<double>(known_->postings) * partition.open->partition().documents() /
                                    all);
}

std::uint32_t SearchPlans::depth(engine::Mode mode) const {
  // `auto` needs to know whether AND has that many matches: engines may stop counting past k, unless nothing is ranked.
  if (request_.rank == wire::Rank::kScore && request_.mode == wire::Mode::kAuto && mode == engine::Mode::kAnd)
    return std::min<std::uint32_t>(std::max(request_.depth, request_.auto_needs), wire::kMaxDepth);
  return request_.depth;
}

// Asks the store only for lists that the table of terms does not lead to. Fetches nothing for AND if a term is known to
// be in no document of the partition.
Result<void> SearchPlans::fetch_lists(const generation::ServedPartition& partition, engine::Mode mode,
                                      std::vector<lists::ListLease>& lists, wire::PartitionProfile& profile) const {
  if (!lists.empty()) return {};
  const std::size_t place = place_of(partition);
  std::vector<lists::ListLease> found(known_->terms.size());
  std::vector<lists::ListKey> keys;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const KnownTerm& term = *known_->terms[i].term;
    if (auto lease = term.on_host(place)) {
      if (*lease == nullptr && mode == engine::Mode::kAnd) return {};
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
    profile.lists_us += micros_between(before, after);
    metrics_.lists.observe(seconds_between(before, after));
    for (std::size_t i = 0; i < missing.size(); ++i) {
      known_->terms[missing[i]].term->keep(place, fetched[i]);
      if (fetched[i]->postings.count() != 0) found[missing[i]] = std::move(fetched[i]);
    }
  }
  lists = std::move(found);
  return {};
}

// A plan with all but its terms.
engine::Plan SearchPlans::without_terms(const generation::ServedPartition& served, engine::Mode mode,
                                        engine::SharedFloor& floor) const {
  engine::Plan plan;
  plan.mode = mode;
  plan.k = depth(mode);
  plan.ranked = request_.rank == wire::Rank::kScore;
  plan.count_to = std::max<std::uint64_t>(plan.k, engine::Plan::kCountOfLeaves);
  plan.lengths = served.open->partition().lengths();
  plan.partition = served.open->number();
  plan.norm = scoring::length_norm(bm25(), generation_->statistics);
  plan.placement = served.placement;
  plan.hidden = served.hidden.get();
  if (plan.ranked && request_.prior_weight != 0) plan.priors = served.open->partition().priors();
  plan.prior_weight = request_.prior_weight;
  plan.deadline = deadline_;
  plan.floor = &floor;
  plan.terms.reserve(known_->terms.size());
  return plan;
}

scoring::BoundScale SearchPlans::bounds(const KnownTerms::Term& term, const partition::Partition& partition) const {
  return {term.weight, bm25(), generation_->statistics, {generation_->bm25.b, partition.built_average_length()}};
}

Result<std::optional<engine::Plan>> SearchPlans::plan(const generation::ServedPartition& served, engine::Mode mode,
                                                      engine::SharedFloor& floor, std::vector<lists::ListLease>& lists,
                                                      wire::PartitionProfile& profile) const {
  if (!known_) return Error(known_.error());
  const auto& known = known_->terms;
  if (known.empty() || (mode == engine::Mode::kAnd && !known_->all_known))
    return std::optional<engine::Plan>();  // nothing matches in any partition
  const partition::Partition& partition = served.open->partition();
  FROND_TRY(partition.intact());  // a partition that is known to be damaged is not searched
  FROND_TRY(fetch_lists(served, mode, lists, profile));
  if (lists.empty()) return std::optional<engine::Plan>();
  engine::Plan plan = without_terms(served, mode, floor);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (lists[i] != nullptr)
      plan.terms.push_back({lists[i], known[i].weight, bounds(known[i], partition)});
    else if (mode == engine::Mode::kAnd)
      return std::optional<engine::Plan>();
  }
  if (plan.terms.empty()) return std::optional<engine::Plan>();
  return std::optional<engine::Plan>(std::move(plan));
}

std::optional<engine::Plan> SearchPlans::plan_on_device(const generation::ServedPartition& served, engine::Mode mode,
                                                        engine::SharedFloor& floor) const {
  const partition::Partition& partition = served.open->partition();
  if (parts_.device == nullptr || !known_ || (mode == engine::Mode::kAnd && !known_->all_known) || !partition.intact())
    return std::nullopt;
  const std::size_t place = place_of(served);
  engine::Plan plan = without_terms(served, mode, floor);
  if (plan.hidden != nullptr) plan.hidden_on_device = parts_.device->find_array(plan.hidden->words());
  if (plan.hidden != nullptr && plan.hidden_on_device == nullptr) return std::nullopt;
  if (engine::adds_priors(plan)) plan.priors_on_device = parts_.device->find_array(plan.priors->arrays());
  if (engine::adds_priors(plan) && plan.priors_on_device == nullptr) return std::nullopt;
  for (const KnownTerms::Term& term : known_->terms) {
    auto lease = term.term->on_device(place, plan.partition, *parts_.device);
    if (!lease) return std::nullopt;
    if (*lease != nullptr)
      plan.terms.push_back({nullptr, term.weight, bounds(term, partition), *std::move(lease)});
    else if (mode == engine::Mode::kAnd)
      return std::nullopt;
  }
  if (plan.terms.empty()) return std::nullopt;
  return plan;
}

}  // namespace frond::leaf::serve
