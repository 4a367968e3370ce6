#pragma once
// Seam: where posting lists come from. A store hands out leases: the list's bytes, kept alive and in place while the
// lease lives. Every implementation may be called from any thread.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/postings/posting_list.h"

namespace frond::leaf::lists {

// Which list: a term of one of the leaf's open partitions.
struct ListKey {
  std::uint64_t partition = 0;  // OpenPartition::number(): unique for the life of the process, never reused
  std::string term;
  friend bool operator==(const ListKey&, const ListKey&) = default;
};

// A list ready to be read. Empty (count() == 0): the partition has no such term.
struct List {
  // Where it is read from a file that is mapped: what was made of it is true only if this says so afterwards. It costs
  // a system call then; of a copy, nothing. kCorrupt, kUnavailable.
  Result<void> intact() const {
    if (pinned == nullptr) return {};
    for (const auto& segment : *pinned) FROND_TRY(segment.intact());
    return {};
  }

  ListKey key;  // what it was asked for by; engines keep copies under it
  postings::PostingList postings;
  std::size_t bytes = 0;                                              // memory charged for it
  std::vector<std::shared_ptr<const void>> owners;                    // keep the segments' bytes in place
  std::shared_ptr<const std::vector<partition::PinnedBytes>> pinned;  // the same, of a partition's own; null: a copy
};
using ListLease = std::shared_ptr<const List>;

class ListStore {
 public:
  virtual ~ListStore() = default;
  // One lease for each key, in order. kCorrupt names the term; kDeadline when the deadline passes before all are there.
  virtual Result<std::vector<ListLease>> fetch(std::span<const ListKey> keys, Deadline deadline) = 0;
};

}  // namespace frond::leaf::lists
