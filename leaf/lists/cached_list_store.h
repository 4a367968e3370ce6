#pragma once
// A cache of lists in host memory over another store: sharded, within a budget of bytes, each list loaded once however
// many ask for it at the same time. Which lists stay: leaf/lists/segmented_lru.h. Empty lists are kept too: that a
// partition lacks a term is worth remembering.
//
// A list larger than a quarter of a shard's budget passes through: the caller gets the lower store's lease.
#include <cstdint>
#include <memory>
#include <vector>

#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

class CachedListStore final : public ListStore {
 public:
  struct Options {
    std::size_t budget_bytes = std::size_t{1} << 30;
    // 0: one for each 64 MiB of the budget, 1 to 16. More shards contend less, and keep long lists less readily.
    std::uint32_t shards = 0;
  };
  // Keys are counted, not calls: each time one is looked up it is a hit, a miss or coalesced.
  struct Counters {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;          // loaded from the store below
    std::uint64_t coalesced = 0;       // waited for another's load of the same list
    std::uint64_t evictions = 0;       // dropped to make room
    std::uint64_t passed_through = 0;  // of the misses: not admitted
    std::uint64_t bytes = 0;           // held now
    std::uint64_t entries = 0;         // held now
  };

  CachedListStore(ListStore& below, const Clock& clock, Options options);
  ~CachedListStore() override;

  Result<std::vector<ListLease>> fetch(std::span<const ListKey> keys, Deadline deadline) override;

  // Forgets a partition's lists, also those being loaded now. Leases that are out stay good.
  void invalidate(std::uint64_t partition);
  Counters counters() const;
  std::size_t budget_bytes() const { return options_.budget_bytes; }

 private:
  class Load;
  struct Shard;
  struct Request;

  Shard& shard_of(const ListKey& key);
  void look_up(Request& request);
  Result<void> load_own(Request& request);
  void publish(const ListKey& key, Load& load, ListLease lease);
  void abandon(const ListKey& key, Load& load);
  Result<void> await_others(Request& request);

  ListStore& below_;
  const Clock& clock_;
  Options options_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace frond::leaf::lists
