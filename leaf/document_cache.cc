#include "leaf/document_cache.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

std::shared_ptr<partition::DocumentBlockCache> make_document_cache(const Options& options,
                                                                   metrics::Registry& registry) {
  const auto cache = std::make_shared<partition::DocumentBlockCache>(options.document_cache_bytes);
  registry.gauge(families::kDocumentCacheLimit).set(static_cast<double>(cache->budget_bytes()));
  registry.before_scrape([cache, bytes = registry.gauge(families::kDocumentCacheBytes),
                          hits = registry.following_counter(families::kDocumentCacheHits),
                          misses = registry.following_counter(families::kDocumentCacheMisses),
                          evictions = registry.following_counter(families::kDocumentCacheEvictions)]() mutable {
    const partition::DocumentBlockCache::Counters now = cache->counters();
    bytes.set(static_cast<double>(now.bytes));
    hits.follow(now.hits);
    misses.follow(now.misses);
    evictions.follow(now.evictions);
  });
  return options.document_cache_bytes == 0 ? nullptr : cache;
}

}  // namespace frond::leaf
