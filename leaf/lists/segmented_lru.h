#pragma once
// Which lists stay when memory is short: a least-recently-used list in two segments (Karedla, Love, Wherry 1994), with
// an admission rule for large lists.
//
// A new list enters the probation segment; used again it moves to the protected one, which holds at most four fifths
// of the budget and hands its oldest back to probation. Victims come from probation, so a stream of lists that are
// asked for once never flushes those asked for twice. A list larger than a sixteenth of the budget would still empty
// much of probation by itself: it is admitted only when its key was asked for before, which a small table of key
// fingerprints remembers. Not thread-safe: the caller locks.
//
// What is kept for a key is its user's: leases on lists in host memory, images in device memory.
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

  // What was inserted, now the most recently used; null: not here.
  Kept find(const ListKey& key);
  // Whether insert() of so many bytes would be kept; remembers the key. False for more than a quarter of the budget.
  bool admits(const ListKey& key, std::size_t bytes);
  // Makes room, then keeps the list. The key is not here, and admits() said yes.
  void insert(const ListKey& key, Kept kept, std::size_t bytes);
  // Drops the next victim, for room that the budget does not tell of; false: nothing is left.
  bool evict_one();
  void erase_partition(std::uint64_t partition);

  std::size_t bytes() const { return bytes_; }
  std::size_t entries() const { return index_.size(); }
  std::uint64_t evictions() const { return evictions_; }
  // What a kept list is charged for besides its own bytes.
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
