#pragma once
// The last step of a build: publishes the partitions under building/ as a generation.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/repository.h"
#include "indexer/publish/term_statistics.h"

namespace frond::indexer::publish {

// Reads all files of each new partition, which lies in `building`, and compares their checksums with those of when they
// were written; then opens it as a leaf does. By up to 16 of `threads`, each of which takes 2 MiB. kCorrupt: a file is
// not as it was written, or a partition does not have the documents and tokens of its summary.
Result<void> count_documents(std::span<const repository::PartitionEntry> partitions,
                             const std::filesystem::path& building, std::uint32_t threads = 1);

// Puts the files of folder `from` under `to`, too, by hard links: whoever dies in between finds them where they were.
// Moves the folder where the file system has no hard links. kUnavailable: the disk.
Result<void> link_partition(const std::filesystem::path& from, const std::filesystem::path& to);

// Empties the folder that a publication works in when it ends, also with an error.
class EmptiedFolder {
 public:
  explicit EmptiedFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~EmptiedFolder();
  EmptiedFolder(const EmptiedFolder&) = delete;
  EmptiedFolder& operator=(const EmptiedFolder&) = delete;

 private:
  std::filesystem::path folder_;
};

// An id for a new partition: "g<generation>-p<number>-<random hex>".
std::string new_partition_id(Generation generation, std::uint32_t number);
// Whether `second` was made for the same generation as `first`, with the next number. False for other names.
bool is_next_partition_id(std::string_view first, std::string_view second);

// Computes every term's document frequency over all of draft.partitions, which lie in writer.building(), fills in the
// draft's statistics, generation, time and term_statistics, publishes it, and gives the published manifest. kCorrupt:
// the partitions' sums do not agree; kUnavailable: the disk, or stopped before the first irreversible step. By
// `threads`. The partitions' terms are merged from their files, unless `terms` has them, a file that is moved away.
Result<repository::Manifest> publish_generation(repository::RepositoryWriter& writer, repository::Manifest draft,
                                                std::stop_token stop, std::uint32_t threads = 1,
                                                const std::optional<TermsFile>& terms = {});

}  // namespace frond::indexer::publish
