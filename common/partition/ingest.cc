// Puts a partition's files into a folder of their own.
#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "common/base/lines.h"
#include "common/base/text.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/files/file_tables.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/partition/partition.h"
#include "common/partition/published_partition.h"

namespace frond::partition {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxListBytes = 1u << 20;

// Names and sizes of a folder's files, a line each. Written last: where it is, all of them are.
fs::path list_of_files(const fs::path& folder) { return folder / "FILES"; }

Result<void> expect_file(const fs::path& folder, const PartitionFile& file) {
  const fs::path path = folder / file.name;
  std::error_code failed;
  const auto bytes = fs::file_size(path, failed);
  if (failed) {
    const bool absent = failed == std::errc::no_such_file_or_directory;
    return Error(absent ? Code::kCorrupt : Code::kUnavailable, path.string() + ": " + failed.message());
  }
  if (bytes == file.bytes) return {};
  return Error(Code::kCorrupt,
               path.string() + ": " + std::to_string(bytes) + " bytes, expected " + std::to_string(file.bytes));
}

// By a copy where the file system does not move or link.
Result<void> place(const fs::path& from, const fs::path& to, bool move) {
  std::error_code failed;
  if (move)
    fs::rename(from, to, failed);
  else
    fs::create_hard_link(from, to, failed);
  if (failed) fs::copy_file(from, to, failed);
  if (failed) return Error(Code::kUnavailable, to.string() + ": " + failed.message());
  return move ? files::sync(to) : Result<void>();
}

}  // namespace

Result<void> Partition::ingest(const fs::path& files_folder, std::span<const PartitionFile> files,
                               const fs::path& folder, bool move) {
  return guarded(folder.string(), [&]() -> Result<void> {
    if (!move && complete(folder))
      return Error(Code::kInvalid, folder.string() + ": a complete partition is there already");
    FROND_TRY(expect_tables(files));
    for (const PartitionFile& file : files) FROND_TRY(expect_file(files_folder, file));
    if (std::ranges::none_of(files, [](const auto& file) { return is_of_table(Family::kArrays, file.name); }))
      return Error(Code::kCorrupt, files_folder.string() + ": no file of the table 'arrays'");
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (!failed) fs::create_directories(folder, failed);
    if (failed) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
    std::string list;
    for (const PartitionFile& file : files) {
      FROND_TRY(place(files_folder / file.name, folder / file.name, move));
      list += file.name + " " + std::to_string(file.bytes) + "\n";
    }
    if (!move) return files::write_file(list_of_files(folder), list);
    FROND_TRY(files::sync(folder));
    FROND_TRY(files::replace_file(list_of_files(folder), list));
    return files::sync_parent(folder);
  });
}

bool Partition::complete(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(list_of_files(folder), failed);
}

Result<std::shared_ptr<const Partition>> Partition::open(const fs::path& folder, FileReads reads,
                                                         std::shared_ptr<DocumentBlockCache> cache) {
  if (!complete(folder)) return Error(Code::kNotFound, folder.string() + ": no complete partition");
  const std::string list = FROND_TRY(files::read_text(list_of_files(folder), kMaxListBytes));
  std::vector<PartitionFile> files;
  Lines lines(list);
  while (const auto line = lines.next()) {
    const std::size_t end = std::min(line->find(' '), line->size() - 1);
    const auto bytes = number_in<std::uint64_t>(line->substr(end + 1));
    if (!bytes) return Error(Code::kCorrupt, list_of_files(folder).string() + ": not a list of files");
    files.push_back({std::string(line->substr(0, end)), *bytes, {}});
  }
  return open(folder, files, reads, std::move(cache));
}

}  // namespace frond::partition
