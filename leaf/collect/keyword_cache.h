#pragma once
// The numbers of keywords of partitions' columns (keyword_numbers.h), made when a facet first counts them, and kept for
// the next ones. Any thread.
#include <cstdint>
#include <memory>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/cache/segmented_lru.h"
#include "common/partition/values/keyword_numbers.h"

namespace frond::leaf::collect {

class KeywordCache {
 public:
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0;
    std::uint64_t bytes = 0;  // held now
  };
  using Numbers = std::shared_ptr<const partition::KeywordNumbers>;

  explicit KeywordCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes), kept_(budget_bytes, kMaxShare) {}

  // Of the field of the partition, by lists::ListKey::partition, whose column is one of keywords. Two threads that miss
  // at a time both make them. kInvalid: they may take more than half of the budget; kDeadline.
  Result<Numbers> numbers(std::uint64_t partition, std::uint32_t field, const partition::ValueColumn& column,
                          const Deadline& deadline, const Clock& clock);
  // The partition is closed.
  void forget(std::uint64_t partition);
  Counters counters() const;
  std::size_t budget_bytes() const { return budget_bytes_; }

 private:
  static constexpr std::size_t kMaxShare = 2;
  struct Key {
    std::uint64_t partition = 0;
    std::uint32_t field = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashOf {
    std::size_t operator()(const Key& key) const { return (key.partition << 8 | key.field) * 0x9e3779b97f4a7c15ULL; }
  };
  const std::size_t budget_bytes_;
  mutable Mutex mutex_;
  cache::SegmentedLru<Key, Numbers, HashOf> kept_ FROND_GUARDED_BY(mutex_);
  std::uint64_t hits_ FROND_GUARDED_BY(mutex_) = 0, misses_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::collect
