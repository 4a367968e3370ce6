#include "leaf/term_cache.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

std::shared_ptr<serve::TermTable> make_term_table(const Options& options, metrics::Registry& registry) {
  auto table = std::make_shared<serve::TermTable>(options.term_cache_bytes);
  registry.gauge(families::kTermCacheLimit).set(static_cast<double>(table->budget_bytes()));
  registry.before_scrape([table, bytes = registry.gauge(families::kTermCacheBytes),
                          hits = registry.following_counter(families::kTermCacheHits),
                          misses = registry.following_counter(families::kTermCacheMisses),
                          evictions = registry.following_counter(families::kTermCacheEvictions)]() mutable {
    const serve::TermTable::Counters now = table->counters();
    bytes.set(static_cast<double>(now.bytes));
    hits.follow(now.hits);
    misses.follow(now.misses);
    evictions.follow(now.evictions);
  });
  return table;
}

}  // namespace frond::leaf
