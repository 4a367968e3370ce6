#include "leaf/lists/partition_list_store.h"

#include <string>
#include <utility>

namespace frond::leaf::lists {
namespace {

// One term's list: pins all its segments and opens them as one list.
Result<ListLease> pin_list(const partition::Partition& partition, const ListKey& key) {
  auto list = std::make_shared<List>();
  list->key = key;
  auto found = partition.list(key.term);
  if (!found) {
    if (found.error().code() == Code::kNotFound) return ListLease(std::move(list));
    return std::move(found).error();
  }
  std::vector<ByteView> segments;
  segments.reserve(found->segments.size());
  for (const auto& segment : found->segments) {
    segments.push_back(segment.bytes());
    list->bytes += segment.bytes().size();
  }
  list->pinned = std::make_shared<const std::vector<partition::PinnedBytes>>(std::move(found->segments));
  list->postings = FROND_TRY(postings::PostingList::open(segments));
  if (list->postings.count() != found->statistics.document_frequency)
    return Error(Code::kCorrupt, "holds " + std::to_string(list->postings.count()) + " postings where the term says " +
                                     std::to_string(found->statistics.document_frequency));
  return ListLease(std::move(list));
}

}  // namespace

void PartitionListStore::add(std::uint64_t number, std::shared_ptr<const partition::Partition> partition) {
  FROND_CHECK(partition != nullptr);
  const MutexLock lock(mutex_);
  FROND_CHECK(partitions_.emplace(number, std::move(partition)).second);
}

void PartitionListStore::remove(std::uint64_t number) {
  std::shared_ptr<const partition::Partition> last;  // destroyed after the lock, as this may close the database
  const MutexLock lock(mutex_);
  const auto found = partitions_.find(number);
  if (found == partitions_.end()) return;
  last = std::move(found->second);
  partitions_.erase(found);
}

std::shared_ptr<const partition::Partition> PartitionListStore::find(std::uint64_t number) const {
  const MutexLock lock(mutex_);
  const auto found = partitions_.find(number);
  return found == partitions_.end() ? nullptr : found->second;
}

Result<std::vector<ListLease>> PartitionListStore::fetch(std::span<const ListKey> keys, Deadline deadline) {
  std::vector<ListLease> leases;
  leases.reserve(keys.size());
  for (const auto& key : keys) {
    if (deadline.passed(clock_)) return Error(Code::kDeadline, "the deadline passed while lists were read");
    const auto partition = find(key.partition);
    if (!partition) return Error(Code::kNotFound, "partition " + std::to_string(key.partition) + " is not served");
    auto lease = pin_list(*partition, key);
    if (!lease)
      return std::move(lease).error().within("partition " + std::to_string(key.partition) + ": list of " +
                                             partition::printable(key.term));
    leases.push_back(*std::move(lease));
  }
  return leases;
}

}  // namespace frond::leaf::lists
