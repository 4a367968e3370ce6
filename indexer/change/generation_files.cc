#include "indexer/change/generation_files.h"

#include <set>
#include <system_error>

#include "common/base/parallel.h"
#include "common/partition/id_files.h"
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

Result<void> GenerationFiles::fetch_all(const std::vector<Wanted>& all) const {
  constexpr std::size_t kAtOnce = 8;
  return in_parallel(all.size(), kAtOnce, [&](std::size_t i) { return fetch(all[i].path, all[i].file, all[i].to); });
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

Result<void> GenerationFiles::fetch_generation_files(std::span<const PartitionFile> files) const {
  if (in_place()) return {};
  std::vector<Wanted> all;
  for (const PartitionFile& file : files)
    all.push_back({repository::generation_file_path(file), file, name_of_fetched(file)});
  return fetch_all(all);
}

Result<fs::path> GenerationFiles::id_files(const PartitionEntry& entry) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  const PartitionEntry* const one = &entry;
  FROND_TRY(fetch_ids({&one, 1}));
  return fetched_ / entry.id;
}

std::uint64_t GenerationFiles::missing_id_bytes(const PartitionEntry& entry) const {
  std::uint64_t bytes = 0;
  std::error_code failed;
  if (in_place()) return bytes;
  for (const PartitionFile& file : entry.summary.files)
    if (partition::has_ids(file) && fs::file_size(fetched_ / entry.id / file.name, failed) != file.bytes)
      bytes += file.bytes;
  return bytes;
}

Result<void> GenerationFiles::fetch_ids(std::span<const PartitionEntry* const> partitions) const {
  if (in_place()) return {};
  std::vector<Wanted> all;
  for (const PartitionEntry* entry : partitions)
    for (const PartitionFile& file : entry->summary.files)
      if (partition::has_ids(file))
        all.push_back({repository::partition_file_path(*entry, file), file, fetched_ / entry->id / file.name});
  return fetch_all(all);
}

Result<fs::path> GenerationFiles::for_reading(const PartitionEntry& entry, const fs::path& scratch) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  std::vector<Wanted> all;
  for (const PartitionFile& file : entry.summary.files)
    if (!partition::has_ids(file))
      all.push_back({repository::partition_file_path(entry, file), file, scratch / file.name});
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
  for (const PartitionFile& file : entry.summary.files)
    all.push_back({repository::partition_file_path(entry, file), file, whole / file.name});
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
