#pragma once
// Filters that searches have evaluated, kept for the next searches: for each partition and generation the documents
// that a filter leaves out, with those that the generation does not have. Any thread.
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/mutex.h"
#include "common/cache/segmented_lru.h"
#include "common/partition/documents/hidden_documents.h"

namespace frond::leaf::serve {

class FilterCache {
 public:
  using Documents = std::shared_ptr<const partition::HiddenDocuments>;
  struct Key {
    std::uint64_t generation = 0;  // ServedGeneration::serial
    std::uint32_t partition = 0;   // its number there
    std::string filter;            // query::cache_key()
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0;  // partitions' filters
    std::uint64_t bytes = 0;                            // held now
  };

  // 0 bytes: keeps nothing. A filter that takes more than a quarter of the budget is not kept.
  explicit FilterCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes), kept_(budget_bytes, kMaxShare) {}

  // Null: it is not there.
  Documents find(const Key& key);
  void keep(const Key& key, const Documents& documents);
  Counters counters() const;
  std::size_t budget_bytes() const { return budget_bytes_; }

 private:
  static constexpr std::size_t kMaxShare = 4;
  struct HashOf {
    std::size_t operator()(const Key& key) const;
  };
  const std::size_t budget_bytes_;
  mutable Mutex mutex_;
  cache::SegmentedLru<Key, Documents, HashOf> kept_ FROND_GUARDED_BY(mutex_);
  std::uint64_t hits_ FROND_GUARDED_BY(mutex_) = 0, misses_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::serve
