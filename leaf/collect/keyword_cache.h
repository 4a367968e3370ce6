#pragma once
// The numbers of keywords of partitions' columns (keyword_numbers.h), made when a facet first counts them, and kept for
// the next ones. Any thread.
#include <cstdint>
#include <memory>
#include <utility>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/cache/shared_cache.h"
#include "common/partition/values/keyword_numbers.h"

namespace frond::leaf::collect {

class KeywordCache {
 public:
  using Numbers = std::shared_ptr<const partition::KeywordNumbers>;
  using Counters = cache::Counters;

  explicit KeywordCache(std::size_t budget_bytes) : kept_(budget_bytes, kMaxShare) {}

  // Of the field of the partition, by lists::ListKey::partition, whose column is one of keywords. Two threads that miss
  // at a time both make them. kInvalid: they may take more than half of the budget; kDeadline.
  Result<Numbers> numbers(std::uint64_t partition, std::uint32_t field, const partition::ValueColumn& column,
                          const Deadline& deadline, const Clock& clock);
  // The partition is closed.
  void forget(std::uint64_t partition) {
    kept_.remove_if([partition](const Key& key) { return key.first == partition; });
  }
  Counters counters() const { return kept_.counters(); }
  std::size_t budget_bytes() const { return kept_.budget_bytes(); }

 private:
  static constexpr std::size_t kMaxShare = 2;
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // partition and field
  struct HashOf {
    std::size_t operator()(const Key& key) const { return (key.first << 8 | key.second) * 0x9e3779b97f4a7c15ULL; }
  };
  cache::SharedCache<Key, Numbers, HashOf> kept_;
};

}  // namespace frond::leaf::collect
