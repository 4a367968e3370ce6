#include "indexer/change/generation_files.h"

#include <set>
#include <system_error>

#include "common/base/in_parallel.h"
#include "common/partition/id_files.h"
#include "common/partition/partition.h"
#include "common/repository/disk_space.h"

namespace frond::indexer::change {

namespace fs = std::filesystem;
using partition::Partition;
using partition::PartitionFile;
using repository::PartitionEntry;

Result<void> GenerationFiles::fetch(const Wanted& wanted) const {
  std::error_code failed;
  // It was verified when it got its name.
  if (fs::file_size(wanted.to, failed) == wanted.file.bytes && !failed) return {};
  const fs::path folder = wanted.to.parent_path();
  fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  FROND_TRY(repository::expect_room(folder, wanted.file.bytes, 0, "fetching " + wanted.path));
  return source_.fetch(wanted.path, wanted.file, wanted.to);
}

Result<void> GenerationFiles::fetch_all(const std::vector<Wanted>& all) const {
  constexpr std::size_t kAtOnce = 8;
  return in_parallel(all.size(), kAtOnce, [&](std::size_t i) { return fetch(all[i]); });
}

void GenerationFiles::want(const PartitionEntry& entry, const fs::path& folder, bool ids, bool others,
                           std::vector<Wanted>& all) {
  for (const PartitionFile& file : entry.summary.files)
    if (partition::has_ids(file) ? ids : others)
      all.push_back({repository::partition_file_path(entry, file), file, folder / file.name});
}

// Numbers of generations may be used again after a rollback, so the checksum is part of the name.
fs::path GenerationFiles::name_of_fetched(const PartitionFile& file) const {
  return fetched_ / (file.xxh3 + "-" + file.name);
}

Result<std::vector<fs::path>> GenerationFiles::generation_files(std::span<const PartitionFile> files) const {
  std::vector<fs::path> paths;
  std::vector<Wanted> all;
  for (const PartitionFile& file : files) {
    const std::string path = repository::generation_file_path(file);
    paths.push_back(in_place() ? folder_ / path : name_of_fetched(file));
    if (!in_place()) all.push_back({path, file, paths.back()});
  }
  FROND_TRY(fetch_all(all));
  return paths;
}

std::uint64_t GenerationFiles::missing_id_bytes(const PartitionEntry& entry) const {
  std::uint64_t bytes = 0;
  std::error_code failed;
  if (in_place()) return bytes;
  for (const PartitionFile& file : entry.summary.files)
    if (partition::has_ids(file) && fs::file_size(id_folder(entry) / file.name, failed) != file.bytes)
      bytes += file.bytes;
  return bytes;
}

Result<void> GenerationFiles::fetch_ids(std::span<const PartitionEntry* const> partitions) const {
  std::vector<Wanted> all;
  for (const PartitionEntry* entry : partitions)
    if (!in_place()) want(*entry, id_folder(*entry), /*ids=*/true, /*others=*/false, all);
  return fetch_all(all);
}

Result<fs::path> GenerationFiles::for_reading(const PartitionEntry& entry, const fs::path& scratch) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  std::vector<Wanted> all;
  want(entry, scratch, /*ids=*/false, /*others=*/true, all);
  FROND_TRY(fetch_all(all));
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
  std::vector<Wanted> all;
  want(entry, whole, /*ids=*/true, /*others=*/true, all);
  FROND_TRY(fetch_all(all));
  FROND_TRY(Partition::ingest(whole, entry.summary.files, scratch, /*move=*/true));
  std::error_code ignored;
  fs::remove_all(whole, ignored);
  return {};
}

void GenerationFiles::keep_published(const repository::Manifest& manifest, const fs::path& building,
                                     const fs::path& terms, const fs::path& changes) const {
  if (in_place()) return;
  std::error_code ignored;
  fs::create_directories(fetched_, ignored);
  if (!terms.empty()) fs::rename(terms, name_of_fetched(manifest.term_statistics), ignored);
  if (!changes.empty()) fs::rename(changes, name_of_fetched(manifest.changes.back()), ignored);
  for (const PartitionEntry& entry : manifest.partitions) {
    if (!fs::exists(building / entry.id, ignored)) continue;
    fs::create_directories(fetched_ / entry.id, ignored);
    for (const PartitionFile& file : entry.summary.files)
      if (partition::has_ids(file))
        fs::rename(building / entry.id / file.name, fetched_ / entry.id / file.name, ignored);
  }
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
