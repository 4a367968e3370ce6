#include "leaf/caches.h"

#include "leaf/clauses/resolve/device_phrase.h"
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

namespace {

struct CacheFamilies {
  const metrics::Family &limit, &bytes, &hits, &misses, &evictions;
};

template <class Cache>
std::shared_ptr<Cache> make_cache(std::size_t budget_bytes, const CacheFamilies& of, metrics::Registry& registry) {
  const auto cache = std::make_shared<Cache>(budget_bytes);
  registry.gauge(of.limit).set(static_cast<double>(cache->budget_bytes()));
  const families::Export exported(registry, [cache] { return cache->counters(); });
  exported.gauge(of.bytes, &cache::Counters::bytes);
  exported.counter(of.hits, &cache::Counters::hits);
  exported.counter(of.misses, &cache::Counters::misses);
  exported.counter(of.evictions, &cache::Counters::evictions);
  return cache;
}

}  // namespace

std::shared_ptr<partition::DocumentBlockCache> make_document_cache(const Options& options,
                                                                   metrics::Registry& registry) {
  using namespace families;
  auto cache = make_cache<partition::DocumentBlockCache>(
      options.document_cache_bytes,
      {kDocumentCacheLimit, kDocumentCacheBytes, kDocumentCacheHits, kDocumentCacheMisses, kDocumentCacheEvictions},
      registry);
  return options.document_cache_bytes == 0 ? nullptr : cache;
}

std::shared_ptr<serve::TermTable> make_term_table(const Options& options, metrics::Registry& registry) {
  using namespace families;
  return make_cache<serve::TermTable>(
      options.term_cache_bytes,
      {kTermCacheLimit, kTermCacheBytes, kTermCacheHits, kTermCacheMisses, kTermCacheEvictions}, registry);
}

std::shared_ptr<serve::FilterCache> make_filter_cache(const Options& options, metrics::Registry& registry) {
  using namespace families;
  return make_cache<serve::FilterCache>(
      options.filter_cache_bytes,
      {kFilterCacheLimit, kFilterCacheBytes, kFilterCacheHits, kFilterCacheMisses, kFilterCacheEvictions}, registry);
}

std::shared_ptr<collect::KeywordCache> make_keyword_cache(const Options& options, metrics::Registry& registry) {
  using namespace families;
  return make_cache<collect::KeywordCache>(
      options.keyword_cache_bytes,
      {kKeywordCacheLimit, kKeywordCacheBytes, kKeywordCacheHits, kKeywordCacheMisses, kKeywordCacheEvictions},
      registry);
}

}  // namespace frond::leaf
