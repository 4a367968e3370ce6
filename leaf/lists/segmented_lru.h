#pragma once
// Decides which lists a cache keeps: least recently used in two segments (Karedla, Love, Wherry 1994), with an
// admission rule for large lists.
//
// A new list enters the probation segment. A list used again moves to the protected segment, which holds at most four
// fifths of the budget; its oldest lists move back to probation. Evictions come from probation first, so lists asked
// for once do not displace those asked for twice. A list larger than a sixteenth of the budget could empty much of
// probation. It is admitted only if it fits without evictions or if its key was asked for before: a small table holds
// fingerprints of keys. Not thread-safe: the caller locks.
//
// The caller chooses what is kept for a key: leases on lists in host memory, images in device memory.
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

struct ListKeyHash {
  std::size_t operator()(const ListKey& key) const;
};

class SegmentedLru {
 public:
  using Kept = std::shared_ptr<const void>;

  explicit SegmentedLru(std::size_t budget_bytes);

  // Returns what was inserted for the key and makes it the most recently used; null if there is none.
  Kept find(const ListKey& key);
  // Whether to insert() a list of `bytes`; remembers the key. False above a quarter of the budget.
  bool admits(const ListKey& key, std::size_t bytes);
  // Evicts lists until this one fits, then keeps it. The key must not be present; admits() must have returned true.
  void insert(const ListKey& key, Kept kept, std::size_t bytes);
  // Evicts one list even if the budget is not exceeded. False: there is none.
  bool evict_one();
  void erase_partition(std::uint64_t partition);

  std::size_t bytes() const { return bytes_; }
  std::size_t entries() const { return index_.size(); }
  std::uint64_t evictions() const { return evictions_; }
  // Bytes charged for a list in addition to its own.
  static std::size_t overhead(const ListKey& key);

 private:
  struct Entry {
    ListKey key;
    Kept kept;
    std::size_t bytes = 0;
    bool in_protected = false;
  };
  using Entries = std::list<Entry>;  // most recently used first

  void make_room(std::size_t bytes);
  void drop(Entries& from, Entries::iterator entry);

  std::size_t budget_;
  Entries probation_;
  Entries protected_;
  std::unordered_map<ListKey, Entries::iterator, ListKeyHash> index_;
  std::vector<std::uint32_t> seen_;  // fingerprints of keys asked for, direct-mapped
  std::size_t bytes_ = 0;
  std::size_t protected_bytes_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace frond::leaf::lists
