#pragma once
// The files of a published generation, as local ones: where they are if the repository is a directory, else fetched and
// kept for the next change. Several are fetched at a time.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/repository/repository.h"

namespace frond::indexer::change {

// One thread. Errors of every method: kNotFound, kCorrupt, kUnavailable, naming the file.
class GenerationFiles {
 public:
  // Ranges of so many partitions are read at a time: a thread mostly waits for answers.
  static constexpr std::size_t kPartitionsByRanges = 4;
  // folder: the collection's, if its files are in place; empty: files are fetched from `source`, which is borrowed,
  // into `fetched`.
  GenerationFiles(const repository::RepositorySource& source, std::filesystem::path folder,
                  std::filesystem::path fetched)
      : source_(source), folder_(std::move(folder)), fetched_(std::move(fetched)) {}

  bool in_place() const { return !folder_.empty(); }
  // A file of term statistics or changes.
  Result<std::filesystem::path> generation_file(const partition::PartitionFile& file) const;
  // Fetches these files, for generation_file().
  Result<void> fetch_generation_files(std::span<const partition::PartitionFile> files) const;
  // The folder with the partition's files of ids.
  Result<std::filesystem::path> id_files(const repository::PartitionEntry& entry) const;
  // Fetches those of these partitions, for id_files().
  Result<void> fetch_ids(std::span<const repository::PartitionEntry* const> partitions) const;
  // Bytes that fetch_ids() would fetch.
  std::uint64_t missing_id_bytes(const repository::PartitionEntry& entry) const;
  // The folder with the partition's files for a PublishedPartition: where they are, or `scratch`, into which they are
  // fetched, without those of ids.
  Result<std::filesystem::path> for_reading(const repository::PartitionEntry& entry,
                                            const std::filesystem::path& scratch) const;
  // Reads ranges of the partition's published files. Any thread; `entry` and this outlive it.
  partition::ReadRange ranges_of(const repository::PartitionEntry& entry) const;
  // Opens all of a partition as database `scratch`, by links, or else by what is fetched and not kept.
  Result<void> ingest(const repository::PartitionEntry& entry, const std::filesystem::path& scratch) const;
  // Removes fetched files that the generation does not name, also parts of files.
  void keep_only(const repository::Manifest& manifest) const;
  // Takes files that were just published as fetched ones, as far as the next change wants them: `terms` and `changes`
  // of this manifest (empty: none are new), and ids of its partitions in `building`. What can't be taken is fetched
  // then.
  void keep_published(const repository::Manifest& manifest, const std::filesystem::path& building,
                      const std::filesystem::path& terms, const std::filesystem::path& changes) const;

 private:
  struct Wanted {
    std::string path;
    partition::PartitionFile file;
    std::filesystem::path to;
  };
  Result<void> fetch_all(const std::vector<Wanted>& all) const;
  Result<void> fetch(const std::string& path, const partition::PartitionFile& file,
                     const std::filesystem::path& to) const;
  std::filesystem::path name_of_fetched(const partition::PartitionFile& file) const;
  const repository::RepositorySource& source_;
  const std::filesystem::path folder_, fetched_;
};

}  // namespace frond::indexer::change
