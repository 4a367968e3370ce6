#include "leaf/generation/generation_loader.h"

#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "common/base/text.h"
#include "common/base/threads/parallel.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"
#include "common/partition/published_partition.h"
#include "common/repository/disk_space.h"
#include "common/repository/signature.h"
#include "common/schema/schema_json.h"
#include "leaf/generation/linked_file.h"

namespace frond::leaf::generation {
namespace fs = std::filesystem;
namespace {

// kCorrupt: the opened partition's documents or tokens differ from the manifest. Also checks shared partitions.
Result<void> expect_content(const partition::Partition& opened, const repository::PartitionEntry& entry) {
  if (opened.documents() == entry.summary.documents && opened.tokens() == entry.summary.tokens) return {};
  return Error(Code::kCorrupt, std::to_string(opened.documents()) + " documents and " +
                                   std::to_string(opened.tokens()) + " tokens; the manifest says " +
                                   std::to_string(entry.summary.documents) + " and " +
                                   std::to_string(entry.summary.tokens));
}

// Bytes of a file that are not on disk yet, neither in the file nor in its partial file.
std::uint64_t missing_bytes_of(const repository::PartitionFile& file, const fs::path& place) {
  std::error_code failure;
  for (const fs::path& name : {place, fs::path(place) += repository::kPartSuffix})
    if (const std::uint64_t there = fs::file_size(name, failure); !failure)
      return file.bytes - std::min(file.bytes, there);
  return file.bytes;
}

}  // namespace

Result<std::shared_ptr<const ServedGeneration>> GenerationLoader::load(const repository::Manifest& manifest,
                                                                       const ServedSet& serving,
                                                                       const std::function<bool()>& stopping) {
  FROND_TRY(expect_signed(manifest));
  std::map<std::string, std::shared_ptr<const OpenPartition>> open;
  for (const auto& served : serving)
    for (const auto& one : served->partitions)
      if (one.open->intact() && !distrusted_.contains(one.open->id())) open.emplace(one.open->id(), one.open);
  for (const auto& served : serving)
    for (const auto& one : served->partitions)
      if (!one.open->intact() && !open.contains(one.open->id())) distrust(one.open->id());
  auto loaded = std::make_shared<ServedGeneration>();
  loaded->serial = ++numbers_.last_serial;
  loaded->generation = manifest.generation;
  loaded->content = manifest.content;
  loaded->partitions_total = static_cast<std::uint32_t>(manifest.partitions.size());
  loaded->analyzer = manifest.analyzer;
  loaded->bm25 = manifest.bm25;
  if (!manifest.schema.empty())
    loaded->schema = std::make_shared<const schema::Schema>(FROND_TRY(schema::parse_schema(manifest.schema)));
  loaded->schema_text = manifest.schema;
  loaded->field_tokens = manifest.field_tokens;
  loaded->statistics = manifest.statistics;
  for (std::size_t p = shard_.number; p < manifest.partitions.size(); p += shard_.count)
    if (auto named = partition::expect_tables(manifest.partitions[p].summary.files); !named)
      return std::move(named).error().within("partition " + manifest.partitions[p].id);
  FROND_TRY(expect_room(manifest));
  FROND_TRY(open_terms(manifest, serving, *loaded, stopping));
  std::vector<const repository::PartitionEntry*> missing;
  for (std::size_t p = shard_.number; p < manifest.partitions.size(); p += shard_.count)
    if (!open.contains(manifest.partitions[p].id)) missing.push_back(&manifest.partitions[p]);
  for (auto& opened : FROND_TRY(open_missing(manifest, missing, stopping))) open.emplace(opened->id(), opened);
  for (std::uint32_t p = 0; p < manifest.partitions.size(); ++p) {
    if (!is_of_shard(p)) continue;
    const repository::PartitionEntry& entry = manifest.partitions[p];
    const std::shared_ptr<const OpenPartition>& partition = open.at(entry.id);
    if (auto fits = expect_content(partition->partition(), entry); !fits)
      return std::move(fits).error().within("partition " + entry.id);
    Hidden hidden = FROND_TRY(hidden_of(entry, *partition, loaded->changes, serving));
    loaded->partitions.push_back({p, entry.placement(), partition, std::move(hidden.documents), hidden.tokens});
    distrusted_.erase(entry.id);
  }
  for (const std::string& file : loaded->files) distrusted_.erase(file);
  return std::shared_ptr<const ServedGeneration>(std::move(loaded));
}

std::uint64_t GenerationLoader::missing_bytes(const repository::PartitionEntry& entry, const Places& there) const {
  std::uint64_t missing = 0;
  for (const auto& file : entry.summary.files)
    if (!there.contains(file.name)) missing += missing_bytes_of(file, data_.fetching(entry.id) / file.name);
  return missing;
}

std::uint64_t GenerationLoader::lacking(const repository::PartitionEntry& entry) const {
  const fs::path folder = data_.partition(entry.id);
  if (partition::Partition::complete(folder)) return 0;
  return missing_bytes(entry, places_in(folder, entry.summary.files, {}));
}

Result<void> GenerationLoader::expect_room(const repository::Manifest& manifest) const {
  const std::uint64_t missing = linked_.empty() ? lacking(manifest) : 0;
  if (missing == 0) return {};
  return repository::expect_room(data_.fetching({}), missing, disk_reserve_,
                                 "fetching generation " + std::to_string(manifest.generation));
}

bool GenerationLoader::on_disk(const repository::Manifest& manifest) const {
  for (std::size_t p = shard_.number; p < manifest.partitions.size(); p += shard_.count)
    if (lacking(manifest.partitions[p]) > 0) return false;
  std::error_code failure;
  for (const auto& file : manifest.changes)
    if (!fs::exists(data_.generation_file(DataFolder::changes_file(file)), failure)) return false;
  return fs::exists(data_.generation_file(DataFolder::terms_file(manifest.term_statistics)), failure);
}

std::uint64_t GenerationLoader::lacking(const repository::Manifest& manifest) const {
  std::uint64_t bytes = missing_bytes_of(manifest.term_statistics,
                                         data_.generation_file(DataFolder::terms_file(manifest.term_statistics)));
  for (const auto& file : manifest.changes)
    bytes += missing_bytes_of(file, data_.generation_file(DataFolder::changes_file(file)));
  for (std::size_t p = shard_.number; p < manifest.partitions.size(); p += shard_.count)
    bytes += lacking(manifest.partitions[p]);
  return bytes;
}

// In their order. After an error the others end, too; gives the first one.
Result<GenerationLoader::OpenPartitions> GenerationLoader::open_missing(
    const repository::Manifest& manifest, const std::vector<const repository::PartitionEntry*>& missing,
    const std::function<bool()>& stopping) {
  OpenPartitions opened(missing.size());
  FirstError failure;
  const auto ends = [&] { return failure.token().stop_requested() || stopping(); };
  const auto open_one = [&](std::size_t i) -> Result<void> {
    opened[i] = FROND_TRY(open_partition(manifest, *missing[i], ends));
    return {};
  };
  FROND_TRY(in_parallel(failure, missing.size(), threads_, open_one));
  return opened;
}

Result<std::shared_ptr<const OpenPartition>> GenerationLoader::open_partition(const repository::Manifest& manifest,
                                                                              const repository::PartitionEntry& entry,
                                                                              const std::function<bool()>& stopping) {
  const fs::path folder = data_.partition(entry.id);
  std::error_code failure;
  const bool there = fs::exists(folder, failure) || fs::exists(data_.fetching(entry.id), failure);
  if (!partition::Partition::complete(folder)) {
    const auto describe_one = [&](const fs::path& file) {
      return stopping() ? std::nullopt : std::optional(describe(entry.id, file));
    };
    std::vector<repository::PartitionFile> missing;  // an attempt before may have found others
    for (const auto& file : entry.summary.files)
      if (missing_bytes_of(file, data_.fetching(entry.id) / file.name) > 0) missing.push_back(file);
    FROND_TRY(fetch_partition(entry, places_in(folder, missing, describe_one), stopping));
  }
  StoredFiles stored;
  auto opened = open_verified(manifest, entry, stored);
  if (!opened && there) {  // damaged on disk, or left by another collection
    FROND_TRY(fetch_partition(entry, stored.good, stopping));
    opened = open_verified(manifest, entry, stored);
  }
  if (!opened) return std::move(opened).error().within("partition " + entry.id);
  return std::shared_ptr<const OpenPartition>(std::make_shared<OpenPartition>(
      ++numbers_.last_partition, entry.id, std::move(*opened), lists_, entry.summary.files));
}

Result<std::shared_ptr<const partition::Partition>> GenerationLoader::open_verified(
    const repository::Manifest& manifest, const repository::PartitionEntry& entry, StoredFiles& stored) const {
  const fs::path folder = data_.partition(entry.id);
  stored = *look_at_files(folder, entry.summary.files,
                          [&](const fs::path& file) { return std::optional(describe(entry.id, file)); });
  if (!stored.damaged.empty()) return stored.damaged.front().why;
  for (const auto& [name, place] : stored.good)
    if (auto good = expect_signed(manifest, "partitions/" + entry.id + "/" + name, place); !good) {
      stored.good.erase(std::string(name));
      return std::move(good).error();
    }
  auto opened =
      FROND_TRY(partition::Partition::open(folder, entry.summary.files, partition::FileReads::kMapped, documents_));
  FROND_TRY(expect_content(*opened, entry));
  return opened;
}

void GenerationLoader::link_from(fs::path collection) {
  std::error_code failure;
  const fs::path folder = fs::exists(collection, failure) ? collection : collection.parent_path();
  linked_ = can_link(folder, data_.fetching({})) ? std::move(collection) : fs::path();
}

Result<void> GenerationLoader::bring(const std::string& path, const repository::PartitionFile& file, const fs::path& to,
                                     const std::function<bool()>& stopping) const {
  if (!linked_.empty() && is_safe_path(path) && link_verified(linked_ / path, file, to)) return {};
  return source_.fetch(path, file, to, stopping);
}

Result<void> GenerationLoader::fetch_partition(const repository::PartitionEntry& entry, const Places& there,
                                               const std::function<bool()>& stopping) const {
  const fs::path folder = data_.fetching(entry.id);
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error(Code::kUnavailable, folder.string() + ": " + failure.message());
  const bool complete = partition::Partition::complete(data_.partition(entry.id));
  for (const auto& [name, place] : there) {
    fs::create_hard_link(place, folder / name, failure);
    if (failure && failure != std::errc::file_exists && !complete) fs::rename(place, folder / name, failure);
  }
  if (const std::uint64_t missing = missing_bytes(entry, {}); missing > 0 && linked_.empty())
    FROND_TRY(repository::expect_room(folder, missing, disk_reserve_, "fetching partition " + entry.id));
  for (const auto& file : entry.summary.files) {
    if (stopping()) return Error(Code::kUnavailable, "the leaf is stopping");
    const fs::path place = folder / file.name;
    if (fs::file_size(place, failure) == file.bytes && !failure) continue;  // verified when fetched
    FROND_TRY(bring(repository::partition_file_path(entry, file), file, place, stopping));
  }
  FROND_TRY(files::sync(folder));  // before what was linked loses its other names
  auto ingested = partition::Partition::ingest(folder, entry.summary.files, data_.partition(entry.id), /*move=*/true);
  // The files were moved, or they are corrupt. In both cases the rest is useless.
  if (ingested || ingested.error().code() == Code::kCorrupt) fs::remove_all(folder, failure);
  if (ingested && failure) return Error(Code::kUnavailable, folder.string() + ": " + failure.message());
  return ingested ? std::move(ingested) : std::move(ingested).error().within("partition " + entry.id);
}

Result<repository::PartitionFile> GenerationLoader::describe(const std::string& name, const fs::path& file) const {
  if (!distrusted_.contains(name)) return partition::describe_file(file);
  return *describe_on_disk(file, read_disk_, [](std::uint64_t) { return true; });
}

Result<void> GenerationLoader::expect_signed(const repository::Manifest& manifest) const {
  return trusted_ == nullptr ? Result<void>() : repository::expect_signed(manifest, *trusted_);
}

Result<void> GenerationLoader::expect_signed(const repository::Manifest& manifest, const std::string& path,
                                             const fs::path& place) const {
  return trusted_ == nullptr ? Result<void>() : repository::expect_signed_file(manifest, path, place);
}

Result<void> GenerationLoader::fetch_generation_file(const repository::Manifest& manifest,
                                                     const repository::PartitionFile& file, const fs::path& place,
                                                     const std::function<bool()>& stopping) const {
  const std::string path = repository::generation_file_path(file);
  const std::string name = place.filename().string();
  const auto expect_good = [&]() -> Result<void> {
    const auto stored = FROND_TRY(describe(name, place));
    if (stored.bytes != file.bytes || stored.xxh3 != file.xxh3)
      return Error(Code::kCorrupt, place.string() + ": XXH3-128 " + stored.xxh3 + "; expected: " + file.xxh3);
    return expect_signed(manifest, path, place);
  };
  if (expect_good()) return {};
  if (stopping()) return Error(Code::kUnavailable, "the leaf is stopping");
  FROND_TRY(bring(path, file, place, stopping));
  // A link is to the same bytes on the disk.
  return distrusted_.contains(name) ? expect_good() : expect_signed(manifest, path, place);
}

// Opens what no served generation has open. A file that does not open although its checksum is right is not fetched
// again: it would be the same.
Result<void> GenerationLoader::open_terms(const repository::Manifest& manifest, const ServedSet& serving,
                                          ServedGeneration& loaded, const std::function<bool()>& stopping) const {
  std::map<std::string, std::shared_ptr<const partition::GenerationTerms>> bases;
  std::map<std::string, partition::ChangesPtr> changes;
  for (const auto& served : serving) {
    if (served->files.empty()) continue;  // made by a test
    const auto trusted = [&](const std::string& file) { return !distrusted_.contains(file); };
    if (trusted(served->files[0]) && served->base_terms->check_files())
      bases.emplace(served->files[0], served->base_terms);
    for (std::size_t i = 0; i < served->changes.size(); ++i)
      if (trusted(served->files[i + 1]) && served->changes[i]->check_files())
        changes.emplace(served->files[i + 1], served->changes[i]);
  }
  loaded.files.push_back(DataFolder::terms_file(manifest.term_statistics));
  loaded.base_terms = bases[loaded.files[0]];
  if (loaded.base_terms == nullptr) {
    const fs::path place = data_.generation_file(loaded.files[0]);
    FROND_TRY(fetch_generation_file(manifest, manifest.term_statistics, place, stopping));
    loaded.base_terms = FROND_TRY(partition::GenerationTerms::open(place));
  }
  for (const repository::PartitionFile& file : manifest.changes) {
    loaded.files.push_back(DataFolder::changes_file(file));
    partition::ChangesPtr& one = changes[loaded.files.back()];
    if (one == nullptr) {
      const fs::path place = data_.generation_file(loaded.files.back());
      FROND_TRY(fetch_generation_file(manifest, file, place, stopping));
      one = FROND_TRY(partition::Changes::open(place));
    }
    loaded.changes.push_back(one);
  }
  loaded.terms =
      loaded.changes.empty() ? loaded.base_terms : partition::changed_terms(loaded.base_terms, loaded.changes);
  return {};
}

}  // namespace frond::leaf::generation
