#pragma once
// Caches lists of another store in host memory, in shards, within a budget of bytes. Of requests that miss a list at
// the same time one copies it; the others get the lower store's lease. Which lists stay: leaf/lists/list_cache.h. Empty
// lists are cached too: they record that a partition does not have a term.
//
// A list larger than a quarter of a shard's budget is not cached: the caller gets the lower store's lease.
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

class CachedListStore final : public ListStore {
 public:
  struct Options {
    std::size_t budget_bytes = std::size_t{1} << 30;
    // 0: one per 64 MiB of the budget, 1 to 16. More shards reduce lock contention but cache fewer of the long lists.
    std::uint32_t shards = 0;
  };
  // Counts keys, not calls. Each look-up of a key is a hit or a miss. Lists used again are hits.
  struct Counters {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;          // loaded from the store below
    std::uint64_t evictions = 0;       // dropped to make room
    std::uint64_t passed_through = 0;  // misses that were not cached
    std::uint64_t bytes = 0;           // held now
    std::uint64_t entries = 0;         // held now
  };

  CachedListStore(ListStore& below, Options options);
  ~CachedListStore() override;

  Result<std::vector<ListLease>> fetch(std::span<const ListKey> keys, Deadline deadline) override;
  void used_again(std::size_t lists) override { used_again_.fetch_add(lists, std::memory_order_relaxed); }

  // Drops a partition's lists, also those being loaded now. Existing leases stay valid.
  void invalidate(std::uint64_t partition);
  Counters counters() const;
  std::size_t budget_bytes() const { return options_.budget_bytes; }

 private:
  struct Shard;

  Shard& shard_of(const ListKey& key);
  // The list's copy in the cache, or `lease` if it is not cached. `invalidations`: of the shard, before it was loaded.
  ListLease keep(const ListKey& key, ListLease lease, std::uint64_t invalidations);

  ListStore& below_;
  Options options_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::uint64_t> used_again_{0};
};

}  // namespace frond::leaf::lists
