#include "leaf/caches.h"

#include "leaf/clauses/device_phrase.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf {

namespace {

// About: lists take a third more than on the disk; and a length for each document. Sequences of words, which get there
// if they take no more than a quarter of the memory (DeviceCache), as on the disk.
std::uint64_t bytes_on_device(const Accelerator& gpu, const partition::Partition& partition) {
  const partition::PartitionSummary& sums = partition.summary();
  const std::uint64_t lists =
      sums.docid_bytes + sums.frequency_bytes + sums.index_bytes + sums.bound_bytes + sums.header_bytes;
  const auto on_device = clauses::device_sequences(partition.sequences());
  std::uint64_t sequences = on_device == nullptr ? 0 : on_device->bytes();
  for (const Accelerator::Device& device : gpu.devices())
    if (sequences > device.bytes / 4) sequences = 0;
  return lists / 3 * 4 + sequences + 4 * std::uint64_t{partition.documents()};
}

}  // namespace

HostLists::HostLists(const Options& options, const Clock& clock, Accelerator* gpu, collect::KeywordCache& keywords,
                     metrics::Registry& registry)
    : stored_(clock),
      cache_(stored_, {.budget_bytes = options.host_cache_bytes}),
      registration_{[this, gpu](std::uint64_t number, auto partition) {
                      stored_.add(number, partition);
                      if (gpu) gpu->add(number, bytes_on_device(*gpu, *partition));
                    },
                    [this, gpu, &keywords](std::uint64_t number) {
                      stored_.remove(number);
                      cache_.invalidate(number);
                      keywords.forget(number);
                      if (gpu) gpu->forget(number);
                    }} {
  using Counters = lists::CachedListStore::Counters;
  registry.gauge(families::kHostCacheLimit).set(static_cast<double>(cache_.budget_bytes()));
  const families::Export exported(registry, [this] { return cache_.counters(); });
  exported.gauge(families::kHostCacheBytes, &Counters::bytes);
  exported.counter(families::kHostCacheHits, &Counters::hits);
  exported.counter(families::kHostCacheMisses, &Counters::misses);
}

serve::CacheState HostLists::cache_state() const {
  const lists::CachedListStore::Counters now = cache_.counters();
  return {now.bytes, cache_.budget_bytes(), now.hits, now.misses};
}

std::shared_ptr<partition::DocumentBlockCache> make_document_cache(const Options& options,
                                                                   metrics::Registry& registry) {
  const auto cache = std::make_shared<partition::DocumentBlockCache>(options.document_cache_bytes);
  using Counters = partition::DocumentBlockCache::Counters;
  registry.gauge(families::kDocumentCacheLimit).set(static_cast<double>(cache->budget_bytes()));
  const families::Export exported(registry, [cache] { return cache->counters(); });
  exported.gauge(families::kDocumentCacheBytes, &Counters::bytes);
  exported.counter(families::kDocumentCacheHits, &Counters::hits);
  exported.counter(families::kDocumentCacheMisses, &Counters::misses);
  exported.counter(families::kDocumentCacheEvictions, &Counters::evictions);
  return options.document_cache_bytes == 0 ? nullptr : cache;
}

std::shared_ptr<serve::TermTable> make_term_table(const Options& options, metrics::Registry& registry) {
  using Counters = serve::TermTable::Counters;
  auto table = std::make_shared<serve::TermTable>(options.term_cache_bytes);
  registry.gauge(families::kTermCacheLimit).set(static_cast<double>(table->budget_bytes()));
  const families::Export exported(registry, [table] { return table->counters(); });
  exported.gauge(families::kTermCacheBytes, &Counters::bytes);
  exported.counter(families::kTermCacheHits, &Counters::hits);
  exported.counter(families::kTermCacheMisses, &Counters::misses);
  exported.counter(families::kTermCacheEvictions, &Counters::evictions);
  return table;
}

std::shared_ptr<serve::FilterCache> make_filter_cache(const Options& options, metrics::Registry& registry) {
  using Counters = serve::FilterCache::Counters;
  auto cache = std::make_shared<serve::FilterCache>(options.filter_cache_bytes);
  registry.gauge(families::kFilterCacheLimit).set(static_cast<double>(cache->budget_bytes()));
  const families::Export exported(registry, [cache] { return cache->counters(); });
  exported.gauge(families::kFilterCacheBytes, &Counters::bytes);
  exported.counter(families::kFilterCacheHits, &Counters::hits);
  exported.counter(families::kFilterCacheMisses, &Counters::misses);
  exported.counter(families::kFilterCacheEvictions, &Counters::evictions);
  return cache;
}

std::shared_ptr<collect::KeywordCache> make_keyword_cache(const Options& options, metrics::Registry& registry) {
  using Counters = collect::KeywordCache::Counters;
  auto cache = std::make_shared<collect::KeywordCache>(options.keyword_cache_bytes);
  registry.gauge(families::kKeywordCacheLimit).set(static_cast<double>(cache->budget_bytes()));
  const families::Export exported(registry, [cache] { return cache->counters(); });
  exported.gauge(families::kKeywordCacheBytes, &Counters::bytes);
  exported.counter(families::kKeywordCacheHits, &Counters::hits);
  exported.counter(families::kKeywordCacheMisses, &Counters::misses);
  exported.counter(families::kKeywordCacheEvictions, &Counters::evictions);
  return cache;
}

}  // namespace frond::leaf
