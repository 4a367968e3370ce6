#include "leaf/collect/collect.h"

#include <tuple>

#include "leaf/clauses/evaluation.h"
#include "leaf/collect/sort_collector.h"

namespace frond::leaf::collect {

std::optional<query::SortPosition> SortFloor::get() const {
  const MutexLock lock(mutex_);
  return position_;
}

void SortFloor::lower(const query::SortPosition& position) {
  const MutexLock lock(mutex_);
  if (!position_ || std::tie(position.bytes, position.ordinal) < std::tie(position_->bytes, position_->ordinal))
    position_ = position;
}

Result<Collected> collect(const clauses::ClausePlan& plan, const Wanted& wanted, const schema::Schema& schema,
                          KeywordCache& keywords, SortFloor* floor, const Clock& clock) {
  std::optional<SortCollector> sorted;
  if (!wanted.sort.empty()) {
    const auto before = floor == nullptr ? std::nullopt : floor->get();
    sorted.emplace(FROND_TRY(SortCollector::make(wanted.sort, schema, plan, wanted.after, before)));
  }
  std::optional<FacetCollector> counted;
  if (!wanted.facets.empty())
    counted.emplace(
        FROND_TRY(FacetCollector::make(wanted.facets, schema, plan, wanted.clauses, keywords, wanted.room(), clock)));
  Collected found;
  found.outcome = FROND_TRY(clauses::search(plan, clock, sorted ? &*sorted : nullptr, counted ? &*counted : nullptr));
  if (counted) found.facets = FROND_TRY(counted->finish());
  if (!sorted) return found;
  sorted->finish(wanted.max_sort_bytes, found.outcome.hits, found.sort_bytes);
  if (floor != nullptr && plan.plan.k != 0 && found.outcome.hits.size() == plan.plan.k)
    floor->lower({found.sort_bytes.back(), found.outcome.hits.back().ordinal});
  return found;
}

}  // namespace frond::leaf::collect
