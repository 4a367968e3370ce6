#pragma once
// Whether a leaf's files are those of the manifest. Any thread.
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::leaf::generation {

// A file of the data folder that is not as its manifest says.
struct DamagedFile {
  std::uint64_t partition_number = 0;  // OpenPartition::number; 0: a file of generations/, or SERVED
  std::string partition = {};          // its id
  std::string name = {};               // as published; of generations/ and SERVED as in the data folder
  std::string expected = {};           // its XXH3-128
  // kNotFound: the file is gone, and who has it open reads what is right. Else kCorrupt or kUnavailable. Names the
  // file.
  Error why;
};

// Size and XXH3-128 of a file, as partition::describe_file(). Nothing: no more is to be read.
using Describe = std::function<std::optional<Result<partition::PartitionFile>>(const std::filesystem::path&)>;

// As files::read_from_disk(), which tests replace.
using DiskRead =
    std::function<Result<void>(const std::filesystem::path&, const std::function<Result<void>(ByteView)>&)>;
// As partition::describe_file(), but of what `read` gives. After each piece it asks `goes_on`; false: nothing.
std::optional<Result<partition::PartitionFile>> describe_on_disk(
    const std::filesystem::path& file, const DiskRead& read,
    const std::function<bool(std::uint64_t piece_bytes)>& goes_on);

using Places = std::map<std::string, std::filesystem::path>;  // of files, by the names that they were published with
// What a folder that is not complete has of a partition: files of the right name and size, and, where there is none, of
// any name and the right size, if they have the right digest. So it is after an ingest that was interrupted, and in a
// data folder of before 2026-11-30, whose files have names of RocksDB's. `describe` null: a size is enough.
Places places_in(const std::filesystem::path& folder, std::span<const partition::PartitionFile> expected,
                 const Describe& describe);

struct StoredFiles {
  Places good;
  std::vector<DamagedFile> damaged;  // without partition_number and partition
};
// Reads all files of a partition. Nothing: `describe` ended it.
std::optional<StoredFiles> look_at_files(const std::filesystem::path& folder,
                                         std::span<const partition::PartitionFile> expected, const Describe& describe);

}  // namespace frond::leaf::generation
