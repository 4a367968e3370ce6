#include "leaf/serve/search_plans.h"

#include <algorithm>
#include <utility>

#include "common/wire/limits.h"
#include "leaf/serve/search_times.h"

namespace frond::leaf::serve {

std::uint64_t SearchPlans::postings_in(const generation::ServedPartition& partition) const {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  return static_cast<std::uint64_t>(static_cast<double>(known_->postings) * partition.open->partition().documents() /
                                    all);
}

std::uint32_t SearchPlans::depth(engine::Mode mode) const {
  // `auto` needs to know whether AND has that many matches: engines may stop counting past k.
  if (request_.mode == wire::Mode::kAuto && mode == engine::Mode::kAnd)
    return std::min<std::uint32_t>(std::max(request_.depth, request_.auto_needs), wire::kMaxDepth);
  return request_.depth;
}

Result<void> SearchPlans::fetch_lists(const generation::ServedPartition& partition,
                                      std::vector<lists::ListLease>& lists, wire::PartitionProfile& profile) const {
  if (!lists.empty()) return {};
  std::vector<lists::ListKey> keys;
  keys.reserve(known_->terms.size());
  for (const auto& term : known_->terms) keys.push_back({partition.open->number(), term.text});
  const Instant before = parts_.clock.now();
  lists = FROND_TRY(parts_.lists.fetch(keys, deadline_));
  const Instant after = parts_.clock.now();
  profile.lists_us += micros_between(before, after);
  metrics_.lists.observe(seconds_between(before, after));
  return {};
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
  FROND_TRY(fetch_lists(served, lists, profile));
  engine::Plan plan;
  plan.mode = mode;
  plan.k = depth(mode);
  plan.count_to = std::max<std::uint64_t>(plan.k, engine::Plan::kCountOfLeaves);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (lists[i]->postings.count() == 0) {
      if (mode == engine::Mode::kAnd) return std::optional<engine::Plan>();
      continue;
    }
    plan.terms.push_back({lists[i], known[i].weight,
                          scoring::BoundScale(known[i].weight, generation_->bm25, generation_->statistics,
                                              partition.built_average_length())});
  }
  if (plan.terms.empty()) return std::optional<engine::Plan>();
  plan.lengths = partition.lengths();
  plan.partition = served.open->number();
  plan.norm = scoring::length_norm(generation_->bm25, generation_->statistics);
  plan.placement = served.placement;
  plan.deadline = deadline_;
  plan.floor = &floor;
  return std::optional<engine::Plan>(std::move(plan));
}

}  // namespace frond::leaf::serve
