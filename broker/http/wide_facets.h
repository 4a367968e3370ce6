#pragma once
// Columns of which a facet had many different buckets: all of them cross the network, and are merged on a loop's
// thread, so a search that counts them is a costly one. Nothing tells before the first such search how many there are.
// Thread-safe.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/query/facet.h"

namespace frond::broker::http {

class WideFacets {
 public:
  static constexpr std::size_t kMany = 8192;  // buckets in the replies to a search; some 10 ms of a loop

  // `buckets`: of each facet, as far as they are known.
  void learn(std::uint32_t collection, const std::vector<frond::query::Facet>& facets,
             const std::vector<std::size_t>& buckets) {
    for (std::size_t i = 0; i < facets.size() && i < buckets.size(); ++i) {
      if (buckets[i] <= kMany) continue;
      const MutexLock lock(mutex_);
      columns_.emplace(collection, facets[i].field);
    }
  }
  bool has_one_of(std::uint32_t collection, const std::vector<frond::query::Facet>& facets) const {
    if (facets.empty()) return false;
    const MutexLock lock(mutex_);
    for (const frond::query::Facet& facet : facets)
      if (columns_.contains({collection, facet.field})) return true;
    return false;
  }

 private:
  mutable Mutex mutex_;
  std::set<std::pair<std::uint32_t, std::string>> columns_ FROND_GUARDED_BY(mutex_);  // of schemas, so not many
};

}  // namespace frond::broker::http
