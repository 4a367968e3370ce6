#pragma once
// Makes a published generation ready to be searched: fetches the missing files of the leaf's shard, verifies
// and opens them. Partitions already on disk are reused after all their files were read and compared with the manifest
// (this also warms the page cache). Of a partition that is damaged, the files that are are fetched again, once; until
// they are there, it stays as it is.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/machine.h"
#include "common/files/disk_read.h"
#include "common/partition/documents/document_block_cache.h"
#include "common/repository/repository.h"
#include "common/tls/signature.h"
#include "leaf/generation/data_folder.h"
#include "leaf/generation/served_generation.h"
#include "leaf/generation/stored_files.h"

namespace frond::leaf::generation {

struct ShardOf {
  std::uint32_t number = 0, count = 1;  // the leaf serves partitions p with p mod count = number
};

// Numbers that no two partitions or generations of the process share. Its loaders have them in common. Any thread.
struct Numbers {
  std::atomic<std::uint64_t> last_partition{0};  // OpenPartition::number
  std::atomic<std::uint64_t> last_serial{0};     // ServedGeneration::serial
};

// Used by one thread. Seam for the follower: what is virtual.
class GenerationLoader {
 public:
  // All references outlive the loaded generations. `disk_reserve`: bytes that fetching leaves free on the data folder's
  // file system. `documents`: the partitions' cache for documents that are shown; may be null. `numbers`: those that
  // the process's loaders share; null: this is the only one.
  GenerationLoader(const repository::RepositorySource& source, const DataFolder& data, ShardOf shard,
                   const ListRegistration& lists, std::uint64_t disk_reserve = 0,
                   std::shared_ptr<partition::DocumentBlockCache> documents = nullptr, Numbers* numbers = nullptr)
      : source_(source),
        data_(data),
        shard_(shard),
        lists_(lists),
        disk_reserve_(disk_reserve),
        documents_(std::move(documents)),
        numbers_(numbers != nullptr ? *numbers : own_numbers_) {}

  virtual ~GenerationLoader() = default;

  // How many partitions load() fetches, verifies and opens at a time: a quarter of the cores, at most 4. They take the
  // caller's priority.
  void set_threads(std::size_t threads) { threads_ = threads; }
  // Files are linked (linked_file.h), not fetched, from a collection's folder in a repository, where it and the data
  // folder are on one file system. What can't be linked is fetched. Called before load().
  void link_from(std::filesystem::path collection);
  // Only generations that one of these keys has signed are loaded, and of those only what was signed: the SHA-256 of
  // each file is verified when it is opened. Called before load(); null: no signature is needed.
  void trust(std::shared_ptr<const tls::TrustedKeys> keys) { trusted_ = std::move(keys); }
  // Shares the partitions, term statistics and changes that `serving` has open with intact files. If `stopping` returns
  // true, load() ends with kUnavailable. Errors: kInvalid: not signed as trust() says; kCorrupt, the message names the
  // file or partition; kUnavailable, the repository or the disk failed, or the disk has no room for all missing files
  // (then nothing is fetched). Fetched files stay for the next attempt, partial files too.
  virtual Result<std::shared_ptr<const ServedGeneration>> load(const repository::Manifest& manifest,
                                                               const ServedSet& serving,
                                                               const std::function<bool()>& stopping);
  // Whether the disk holds all of the leaf's shard, by the sizes of its files. load() then needs the repository only if
  // a file is damaged.
  virtual bool on_disk(const repository::Manifest& manifest) const;
  // kInvalid: the manifest is not signed as trust() says.
  Result<void> expect_signed(const repository::Manifest& manifest) const;
  // load() does not share what serving generations have open of a partition, by its id, or of a file of generations/:
  // it verifies it, once, as the disk has it: the cache may have a right page of a wrong file.
  void distrust(const std::string& name) { distrusted_.insert(name); }
  void read_disk_by(DiskRead read) { read_disk_ = std::move(read); }  // tests
  // Whether a manifest's partition with this number is of the leaf's shard.
  bool is_of_shard(std::size_t partition) const { return partition % shard_.count == shard_.number; }
  // Bytes that load() would fetch.
  std::uint64_t lacking(const repository::Manifest& manifest) const;
  // kUnavailable: the disk has no room for these bytes.
  virtual Result<void> expect_room(const repository::Manifest& manifest) const;

 private:
  using OpenPartitions = std::vector<std::shared_ptr<const OpenPartition>>;
  Result<OpenPartitions> open_missing(const repository::Manifest& manifest,
                                      const std::vector<const repository::PartitionEntry*>& missing,
                                      const std::function<bool()>& stopping);
  Result<std::shared_ptr<const OpenPartition>> open_partition(const repository::Manifest& manifest,
                                                              const repository::PartitionEntry& entry,
                                                              const std::function<bool()>& stopping);
  // `stored`: what was found of its files.
  Result<std::shared_ptr<const partition::Partition>> open_verified(const repository::Manifest& manifest,
                                                                    const repository::PartitionEntry& entry,
                                                                    StoredFiles& stored) const;
  // Fetches what is not in `there`, nor in fetching/, and puts the partition in the place of the one that is there, if
  // there is one.
  Result<void> fetch_partition(const repository::PartitionEntry& entry, const Places& there,
                               const std::function<bool()>& stopping) const;
  // Links or fetches.
  Result<void> bring(const std::string& path, const repository::PartitionFile& file, const std::filesystem::path& to,
                     const std::function<bool()>& stopping) const;
  // `name`: as distrust() has it.
  Result<repository::PartitionFile> describe(const std::string& name, const std::filesystem::path& file) const;
  // kCorrupt: `place` is not what was signed as `path`. Nothing is looked at without trusted keys.
  Result<void> expect_signed(const repository::Manifest& manifest, const std::string& path,
                             const std::filesystem::path& place) const;
  // Fetches a file of generations/ unless it is there as `place`, whole.
  Result<void> fetch_generation_file(const repository::Manifest& manifest, const repository::PartitionFile& file,
                                     const std::filesystem::path& place, const std::function<bool()>& stopping) const;
  Result<void> open_terms(const repository::Manifest& manifest, const ServedSet& serving, ServedGeneration& loaded,
                          const std::function<bool()>& stopping) const;
  // Bytes of the files that are not in `there`, nor in fetching/.
  std::uint64_t missing_bytes(const repository::PartitionEntry& entry, const Places& there) const;
  // Bytes of a partition that are nowhere on the disk, by the sizes of what is there.
  std::uint64_t lacking(const repository::PartitionEntry& entry) const;

  const repository::RepositorySource& source_;
  const DataFolder& data_;
  const ShardOf shard_;
  const ListRegistration& lists_;
  const std::uint64_t disk_reserve_;
  const std::shared_ptr<partition::DocumentBlockCache> documents_;
  std::filesystem::path linked_;  // the collection's folder; empty: all files are fetched
  std::size_t threads_ = std::clamp<std::size_t>(this_machine().cores / 4, 1, 4);
  std::shared_ptr<const tls::TrustedKeys> trusted_;
  std::set<std::string> distrusted_;
  DiskRead read_disk_ = files::read_from_disk;
  Numbers own_numbers_;
  Numbers& numbers_;
};

}  // namespace frond::leaf::generation
