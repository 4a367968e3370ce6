#pragma once
// What searches were found to cost that nothing tells before: columns of which a facet had many different buckets, all
// of which cross the network and are merged on a loop's thread; and how large the sources of documents are. Such
// searches are costly ones (admission.h). Thread-safe.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/query/facets/facet.h"

namespace frond::broker::http {

class KnownCosts {
 public:
  static constexpr std::size_t kManyBuckets = 8192;        // in the replies to a search; some 10 ms of a loop
  static constexpr std::size_t kLargeSources = 512 << 10;  // bytes of a page; some milliseconds

  // `buckets`: of each facet, as far as they are known.
  void learn_facets(std::uint32_t collection, const std::vector<frond::query::Facet>& facets,
                    const std::vector<std::size_t>& buckets) {
    for (std::size_t i = 0; i < facets.size() && i < buckets.size(); ++i) {
      if (buckets[i] <= kManyBuckets) continue;
      const MutexLock lock(mutex_);
      wide_.emplace(collection, facets[i].field);
    }
  }
  bool has_wide(std::uint32_t collection, const std::vector<frond::query::Facet>& facets) const {
    if (facets.empty()) return false;
    const MutexLock lock(mutex_);
    for (const frond::query::Facet& facet : facets)
      if (wide_.contains({collection, facet.field})) return true;
    return false;
  }
  // A page of `hits` documents had so many bytes of sources.
  void learn_sources(std::uint32_t collection, std::size_t hits, std::size_t bytes) {
    if (hits == 0) return;
    const MutexLock lock(mutex_);
    const auto [mean, is_first] = source_bytes_.try_emplace(collection, bytes / hits);
    if (!is_first) mean->second = (mean->second * 7 + bytes / hits) / 8;  // of the last few pages
  }
  bool has_large_sources(std::uint32_t collection, std::size_t hits) const {
    const MutexLock lock(mutex_);
    const auto mean = source_bytes_.find(collection);
    return mean != source_bytes_.end() && mean->second * hits > kLargeSources;
  }

 private:
  mutable Mutex mutex_;
  std::set<std::pair<std::uint32_t, std::string>> wide_ FROND_GUARDED_BY(mutex_);  // of schemas, so not many
  std::map<std::uint32_t, std::size_t> source_bytes_ FROND_GUARDED_BY(mutex_);     // of a document
};

}  // namespace frond::broker::http
