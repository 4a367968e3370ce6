#pragma once
// Where posting lists come from, in host memory and in device memory.
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "leaf/lists/bucket_index.h"

namespace frond::leaf::lists {

// What caches of lists keep (list_cache.h): lists in host memory, images of them in device memory.
//
// Whoever uses a list without asking its cache marks it. The cache then takes it for used when it makes room. Any
// thread.
struct CachedList {
  CachedList() = default;
  CachedList(const CachedList&) {}  // a copy is another list, which nobody has used
  CachedList& operator=(const CachedList&) { return *this; }

  void mark_used() const {
    if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  }
  // Whether it was marked since the last call.
  bool take_mark() const {
    return used_.load(std::memory_order_relaxed) && used_.exchange(false, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<bool> used_{false};
};

// Names a list: a term in one of the leaf's open partitions.
struct ListKey {
  std::uint64_t partition = 0;  // OpenPartition::number(): unique for the life of the process, never reused
  std::string term;
  friend bool operator==(const ListKey&, const ListKey&) = default;
};

// A list ready for reading. postings.count() == 0: the partition does not have the term.
struct List : CachedList {
  // Whether the bytes were valid so far. Ask after using the list and discard results on an error: a mapped file may
  // fail at any time. Costs a system call per mapped segment, nothing for a copy. Errors: kCorrupt, kUnavailable.
  Result<void> intact() const {
    if (pinned == nullptr) return {};
    for (const auto& segment : *pinned) FROND_TRY(segment.intact());
    return {};
  }

  ListKey key;  // as given to fetch(); engines cache copies under it
  postings::PostingList postings;
  std::shared_ptr<const BucketIndex> buckets;                         // null: the list has none
  std::size_t bytes = 0;                                              // of memory that it takes, buckets too
  std::vector<std::shared_ptr<const void>> owners;                    // keep copied bytes alive
  std::shared_ptr<const std::vector<partition::PinnedBytes>> pinned;  // keeps a partition's bytes alive; null if copied
};
using ListLease = std::shared_ptr<const List>;

// Seam: where posting lists come from. A store gives out leases. A lease keeps a list's bytes in memory, at the same
// address, while it lives. Any thread may call a store.
class ListStore {
 public:
  virtual ~ListStore() = default;
  // One lease per key, in order. kCorrupt names the term; kDeadline if the deadline passes before all lists are loaded.
  virtual Result<std::vector<ListLease>> fetch(std::span<const ListKey> keys, Deadline deadline) = 0;
  // The caller uses so many lists that it knows from earlier calls. A cache counts them as found.
  virtual void used_again(std::size_t /*lists*/) {}
};

// Seam: the lists in a GPU's memory, and arrays by document beside them, for searches that make plans.

// A list in device memory, which stays there as long as this object. Only the GPU's engine knows what it is.
using DeviceLease = std::shared_ptr<const CachedList>;

class DeviceLists {
 public:
  virtual ~DeviceLists() = default;
  // The list becomes the most recently used one. Null: it is not in device memory. Any thread; does not wait for
  // copies.
  virtual DeviceLease find(const ListKey& key) = 0;
  // Whether a list that find() returned may still be searched where it is: its device has not failed.
  virtual bool holds(const CachedList& /*list*/) const { return true; }
  // An array by document that has this owner in host memory (HiddenDocuments::words(), DocumentPriors::arrays(),
  // DocumentCodes::owner()): it
  // stays in device memory as long as the result. Null: it is not there. Any thread.
  virtual std::shared_ptr<const void> find_array(const std::shared_ptr<const void>& owner) = 0;
  // Whether it is not there, and will not be, since there was no room for it. Any thread.
  virtual bool has_no_room_for(const std::shared_ptr<const void>& /*owner*/) const { return false; }
};

}  // namespace frond::leaf::lists
