#pragma once
// Reads lists from the leaf's open partitions: long ones in place in mapped files, short ones as copies (FileReads).
//
// Partitions change with generations. A lease keeps its partition's database open, so remove() never waits for queries.
// A term that the partition does not have gives an empty list. A partition not added, or removed, gives kNotFound.
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "common/base/mutex.h"
#include "common/partition/partition.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

class PartitionListStore final : public ListStore {
 public:
  explicit PartitionListStore(const Clock& clock) : clock_(clock) {}

  // `number`: OpenPartition::number(). REQUIRES: `partition` is not null; the number was not added before.
  void add(std::uint64_t number, std::shared_ptr<const partition::Partition> partition);
  void remove(std::uint64_t number);

  Result<std::vector<ListLease>> fetch(std::span<const ListKey> keys, Deadline deadline) override;

 private:
  std::shared_ptr<const partition::Partition> find(std::uint64_t number) const;

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const partition::Partition>> partitions_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::lists
