#pragma once
// Makes a published generation ready to be searched: fetches what the leaf lacks of its shard, verifies, ingests,
// opens. What the disk holds from before is used again after its checksums have been read (that also warms the page
// cache); what fails them is fetched anew, once.
#include <functional>

#include "common/repository/repository.h"
#include "leaf/generation/data_folder.h"
#include "leaf/generation/served_generation.h"

namespace frond::leaf::generation {

struct ShardOf {
  std::uint32_t number = 0, count = 1;  // the leaf serves partitions p with p mod count = number
};

// One thread.
class GenerationLoader {
 public:
  // All outlive what is loaded. `disk_reserve`: bytes of the data folder's file system that fetching leaves free.
  GenerationLoader(const repository::RepositorySource& source, const DataFolder& data, ShardOf shard,
                   const ListRegistration& lists, std::uint64_t disk_reserve = 0)
      : source_(source), data_(data), shard_(shard), lists_(lists), disk_reserve_(disk_reserve) {}

  // Partitions that `serving` has open, and whose files are intact, are shared. `stopping` is asked between files: true
  // ends with kUnavailable. kCorrupt names the file or partition; kUnavailable: the repository, or the disk, also where
  // there is not room enough for all that has to be fetched: then nothing is. What was fetched stays for the next
  // attempt, half a file too.
  Result<std::shared_ptr<const ServedGeneration>> load(const repository::Manifest& manifest, const ServedSet& serving,
                                                       const std::function<bool()>& stopping);
  // Whether the disk has all of the leaf's shard, so that load() needs no repository unless something is spoilt.
  bool on_disk(const repository::Manifest& manifest) const;
  // Bytes that load() would have to fetch.
  std::uint64_t lacking(const repository::Manifest& manifest) const;
  // kUnavailable: the disk has not room enough for them.
  Result<void> expect_room(const repository::Manifest& manifest) const;

 private:
  Result<std::shared_ptr<const OpenPartition>> open_partition(const repository::PartitionEntry& entry,
                                                              const std::function<bool()>& stopping);
  Result<std::shared_ptr<const partition::Partition>> open_verified(const repository::PartitionEntry& entry) const;
  Result<void> fetch_partition(const repository::PartitionEntry& entry, const std::function<bool()>& stopping) const;
  Result<std::shared_ptr<const partition::GenerationTerms>> open_terms(const repository::Manifest& manifest,
                                                                       const std::function<bool()>& stopping) const;
  std::uint64_t missing_bytes(const repository::PartitionEntry& entry) const;

  const repository::RepositorySource& source_;
  const DataFolder& data_;
  const ShardOf shard_;
  const ListRegistration& lists_;
  const std::uint64_t disk_reserve_;
  std::uint64_t last_number_ = 0;  // OpenPartition::number, given out
};

}  // namespace frond::leaf::generation
