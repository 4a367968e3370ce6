#include "indexer/change/generation_files.h"

#include <set>
#include <system_error>
#include <vector>

#include "common/partition/partition.h"
#include "common/repository/disk_space.h"

namespace frond::indexer::change {

namespace fs = std::filesystem;
using partition::Partition;
using partition::PartitionFile;
using repository::PartitionEntry;

Result<void> GenerationFiles::fetch(const std::string& path, const PartitionFile& file, const fs::path& to) const {
  std::error_code failed;
  if (fs::file_size(to, failed) == file.bytes && !failed) return {};  // it was verified when it got its name
  fs::create_directories(to.parent_path(), failed);
  if (failed) return Error(Code::kUnavailable, "creating " + to.parent_path().string() + ": " + failed.message());
  FROND_TRY(repository::expect_room(to.parent_path(), file.bytes, 0, "fetching " + path));
  return source_.fetch(path, file, to);
}

// Numbers of generations may be used again after a rollback, so the checksum is part of the name.
fs::path GenerationFiles::name_of_fetched(const PartitionFile& file) const {
  return fetched_ / (file.xxh3 + "-" + file.name);
}

Result<fs::path> GenerationFiles::generation_file(const PartitionFile& file) const {
  if (in_place()) return folder_ / repository::generation_file_path(file);
  fs::path to = name_of_fetched(file);
  FROND_TRY(fetch(repository::generation_file_path(file), file, to));
  return to;
}

Result<fs::path> GenerationFiles::partition_files(const PartitionEntry& entry,
                                                  const std::function<bool(const PartitionFile&)>& wanted) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  fs::path to = fetched_ / entry.id;
  for (const PartitionFile& file : entry.summary.files)
    if (wanted(file)) FROND_TRY(fetch(repository::partition_file_path(entry, file), file, to / file.name));
  return to;
}

Result<fs::path> GenerationFiles::for_reading(const PartitionEntry& entry, const fs::path& scratch) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  for (const PartitionFile& file : entry.summary.files)
    FROND_TRY(fetch(repository::partition_file_path(entry, file), file, scratch / file.name));
  return scratch;
}

partition::ReadRange GenerationFiles::ranges_of(const PartitionEntry& entry) const {
  return [this, &entry](const PartitionFile& file, std::uint64_t from, std::size_t bytes) {
    return source_.read(repository::partition_file_path(entry, file), from, bytes);
  };
}

Result<void> GenerationFiles::ingest(const PartitionEntry& entry, const fs::path& scratch) const {
  if (in_place())
    return Partition::ingest(folder_ / "partitions" / entry.id, entry.summary.files, scratch, /*move=*/false);
  fs::path whole = scratch;
  whole += ".fetched";
  for (const PartitionFile& file : entry.summary.files)
    FROND_TRY(fetch(repository::partition_file_path(entry, file), file, whole / file.name));
  FROND_TRY(Partition::ingest(whole, entry.summary.files, scratch, /*move=*/true));
  std::error_code ignored;
  fs::remove_all(whole, ignored);
  return {};
}

void GenerationFiles::keep_only(const repository::Manifest& manifest) const {
  if (in_place()) return;
  std::set<std::string> named{name_of_fetched(manifest.term_statistics).filename().string()};
  for (const auto& file : manifest.changes) named.insert(name_of_fetched(file).filename().string());
  for (const auto& entry : manifest.partitions) named.insert(entry.id);
  std::vector<fs::path> others;
  std::error_code ignored;
  for (const auto& there : fs::directory_iterator(fetched_, ignored))
    if (!named.contains(there.path().filename().string())) others.push_back(there.path());
  for (const fs::path& other : others) fs::remove_all(other, ignored);
}

}  // namespace frond::indexer::change
