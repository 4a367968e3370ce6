#pragma once
// Cache of rendered answers by query, within a budget in bytes. One for all threads of the broker; thread-safe. The
// lock is held for a look-up, or for a store with the evictions that make room for it.
//
// A hit costs a look-up and a copy of the answer. Keys contain the generation, so that queries of a new generation
// never get an old answer; old answers are evicted in time. Only answers without unsearched partitions are stored.
//
// Which answers stay: common/cache/segmented_lru.h. Queries that come only once do not evict those that come often.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/mutex.h"
#include "common/cache/segmented_lru.h"

namespace frond::broker::cache {

// `value` is opaque to the cache. `bytes` is its size; the cache adds those of the key and the entry.
struct CachedAnswer {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};

class ResultCache {
 public:
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0, stored = 0, too_large = 0;
    std::uint64_t bytes = 0, entries = 0;
  };

  // budget_bytes 0: nothing is stored.
  explicit ResultCache(std::size_t budget_bytes);

  // The answer, and counts a hit or a miss; a null value: a miss.
  CachedAnswer find(const std::string& key);
  // The same without counting.
  CachedAnswer peek(const std::string& key);
  // The same, but counts no miss: for callers that call find() next.
  CachedAnswer find_known(const std::string& key);
  void store(const std::string& key, CachedAnswer answer);

  Counters counters() const;
  std::size_t budget() const { return budget_; }

 private:
  const std::size_t budget_;
  mutable Mutex mutex_;
  frond::cache::SegmentedLru<std::string, CachedAnswer, std::hash<std::string_view>, std::string_view> answers_
      FROND_GUARDED_BY(mutex_);
  std::uint64_t hits_ FROND_GUARDED_BY(mutex_) = 0, misses_ FROND_GUARDED_BY(mutex_) = 0,
                      stored_ FROND_GUARDED_BY(mutex_) = 0, too_large_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::broker::cache
