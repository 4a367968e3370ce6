#pragma once
// Decides which lists a cache keeps: a segmented LRU (common/cache/segmented_lru.h) with an admission rule for large
// lists.
//
// A list larger than a sixteenth of the budget could empty much of probation. It is admitted only if it fits without
// evictions or if its key was asked for before: a small table holds fingerprints of keys. Not thread-safe: the caller
// locks.
//
// A list that was marked as used (CachedList) since the cache last looked is not evicted: it becomes the most recently
// used instead. So users that remember where a list is need not ask for it each time.
//
// The caller chooses what is kept for a key: leases on lists in host memory, images in device memory.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/cache/segmented_lru.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

struct ListKeyHash {
  std::size_t operator()(const ListKey& key) const;
};

class ListCache {
 public:
  using Kept = std::shared_ptr<const CachedList>;

  explicit ListCache(std::size_t budget_bytes);

  // Returns what was inserted for the key and makes it the most recently used; null if there is none.
  Kept find(const ListKey& key);
  // False above a quarter of the budget.
  bool fits(const ListKey& key, std::size_t bytes) const;
  // Whether to insert() a list of `bytes`, which fits; remembers the key.
  bool admits(const ListKey& key, std::size_t bytes);
  // Evicts lists until this one fits, then keeps it.
  // REQUIRES: the key is not present; admits() returned true.
  void insert(const ListKey& key, Kept kept, std::size_t bytes);
  // Evicts one list even if the budget is not exceeded. False: there is none.
  bool evict_one();
  // Evicts a list that the cache alone holds, so that its memory is free afterwards. Passes over lists that others
  // hold. False: there is none among those that would be evicted next.
  bool evict_unused();
  // Takes the partition's lists out, over several calls: SegmentedLru::sweep().
  using Sweep = cache::SegmentedLru<ListKey, Kept, ListKeyHash>::Sweep;
  bool sweep(Sweep& sweep, std::uint64_t partition);

  std::size_t bytes() const { return lru_.bytes(); }
  std::size_t entries() const { return lru_.entries(); }
  std::uint64_t evictions() const { return lru_.evictions(); }
  // Bytes charged for a list in addition to its own.
  static std::size_t overhead(const ListKey& key);

 private:
  template <class Predicate>
  void pass_over(Predicate spares);

  cache::SegmentedLru<ListKey, Kept, ListKeyHash> lru_;
  std::vector<std::uint32_t> seen_;  // fingerprints of keys asked for, direct-mapped
};

}  // namespace frond::leaf::lists
