#include "leaf/host_lists.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

HostLists::HostLists(const Options& options, const Clock& clock, Accelerator* gpu, metrics::Registry& registry)
    : stored_(clock),
      cache_(stored_, clock, {.budget_bytes = options.host_cache_bytes}),
      registration_{[this](std::uint64_t number, auto partition) { stored_.add(number, partition); },
                    [this, gpu](std::uint64_t number) {
                      stored_.remove(number);
                      cache_.invalidate(number);
                      if (gpu) gpu->forget(number);
                    }} {
  registry.gauge(families::kHostCacheLimit).set(static_cast<double>(cache_.budget_bytes()));
  registry.before_scrape([this, bytes = registry.gauge(families::kHostCacheBytes),
                          hits = registry.following_counter(families::kHostCacheHits),
                          misses = registry.following_counter(families::kHostCacheMisses)]() mutable {
    const lists::CachedListStore::Counters now = cache_.counters();
    bytes.set(static_cast<double>(now.bytes));
    hits.follow(now.hits);
    misses.follow(now.misses);
  });
}

serve::CacheState HostLists::cache_state() const {
  const lists::CachedListStore::Counters now = cache_.counters();
  return {now.bytes, cache_.budget_bytes(), now.hits, now.misses};
}

}  // namespace frond::leaf
