#include "indexer/change/current_generation.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/threads/parallel.h"
#include "common/files/read.h"
#include "common/partition/partition.h"
#include "common/partition/published_partition.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/partition/terms/term_statistics.h"
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

Result<fs::path> GenerationFiles::for_reading(const PartitionEntry& entry, const fs::path& scratch, bool ids) const {
  if (in_place()) return folder_ / "partitions" / entry.id;
  std::vector<Wanted> all;
  want(entry, scratch, ids, /*others=*/true, all);
  FROND_TRY(fetch_all(all));
  return scratch;
}

partition::ReadRange GenerationFiles::ranges_of(const PartitionEntry& entry) const {
  return [this, &entry](const PartitionFile& file, std::uint64_t from, std::size_t bytes) {
    return source_.read(repository::partition_file_path(entry, file), from, bytes);
  };
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
  std::error_code ignored;
  for (const fs::path& there : files::some_entries_of(fetched_))
    if (!named.contains(there.filename().string())) fs::remove_all(there, ignored);
}

namespace {

Result<void> expect_document(const PartitionEntry& entry, std::string_view id, DocId docid) {
  if (docid < entry.summary.documents) return {};
  return Error(Code::kCorrupt, "partition " + entry.id + ": the id " + partition::printable(id) + " is of document " +
                                   std::to_string(docid) + " of " + std::to_string(entry.summary.documents));
}

}  // namespace

Result<std::unique_ptr<CurrentGeneration>> CurrentGeneration::open(const repository::RepositoryWriter& writer) {
  const fs::path& folder = writer.in_place() ? writer.published_folder() : writer.folder();
  auto opened = FROND_TRY(open(writer.source(), folder.filename().string(),
                               {writer.source(), writer.published_folder(), writer.folder() / "fetched"}));
  FROND_TRY(writer.expect_own(opened->manifest()));
  return opened;
}

Result<std::unique_ptr<CurrentGeneration>> CurrentGeneration::open(const repository::RepositorySource& source,
                                                                   std::string_view collection, GenerationFiles files) {
  std::unique_ptr<CurrentGeneration> opened(new CurrentGeneration(std::move(files)));
  const auto number = source.current();
  if (!number && number.error().code() == Code::kNotFound)
    return Error(Code::kNotFound, "collection " + std::string(collection) +
                                      " has no generation to change: make one with frond-indexer build");
  if (!number) return number.error();
  opened->manifest_ = FROND_TRY(source.manifest(*number));
  const repository::Manifest& manifest = opened->manifest_;
  opened->files_.keep_only(manifest);
  std::vector<partition::PartitionFile> statistics = manifest.changes;
  statistics.push_back(manifest.term_statistics);
  auto local = FROND_TRY(opened->files_.generation_files(statistics));
  opened->base_ = FROND_TRY(partition::GenerationTerms::open(local.back()));
  local.pop_back();
  for (const fs::path& file : local) opened->changes_.push_back(FROND_TRY(partition::Changes::open(file)));
  opened->terms_ = opened->changes_.empty() ? opened->base_ : partition::changed_terms(opened->base_, opened->changes_);
  for (const PartitionEntry& entry : manifest.partitions) {
    auto& hidden = opened->hidden_.emplace_back();
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < opened->changes_.size(); ++i) {
      const auto& in_file = opened->changes_[i]->hidden();
      const auto found = in_file.find(entry.id);
      if (found == in_file.end()) continue;
      if (found->second.back() >= entry.summary.documents)
        return Error(Code::kCorrupt, manifest.changes[i].name + ": hidden document " +
                                         std::to_string(found->second.back()) + " of partition " + entry.id +
                                         ", which has " + std::to_string(entry.summary.documents));
      hidden.emplace_back(found->second);
      count += found->second.size();
    }
    if (count != entry.hidden.documents)
      return Error(Code::kCorrupt, "partition " + entry.id + " has " + std::to_string(count) +
                                       " hidden documents; the manifest says " +
                                       std::to_string(entry.hidden.documents));
  }
  opened->ids_.resize(manifest.partitions.size());
  return opened;
}

Result<CurrentGeneration::FoundIds> CurrentGeneration::not_hidden(
    std::size_t number, std::span<const std::string_view> sorted,
    const std::function<Result<std::optional<DocId>>(std::size_t)>& docid_of) const {
  FoundIds found;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto docid = FROND_TRY(docid_of(i));
    if (docid) FROND_TRY(expect_document(manifest_.partitions[number], sorted[i], *docid));
    if (docid && !is_hidden(number, *docid)) found.emplace_back(i, *docid);
  }
  return found;
}

Result<CurrentGeneration::FoundIds> CurrentGeneration::find_in(std::size_t number,
                                                               std::span<const std::string_view> sorted) {
  const PartitionEntry* const entry = &manifest_.partitions[number];
  if (ids_[number] == nullptr) {
    FROND_TRY(files_.fetch_ids({&entry, 1}));
    ids_[number] = std::make_unique<partition::IdFiles>(files_.id_folder(*entry), entry->summary.files);
  }
  return not_hidden(number, sorted, [&](std::size_t i) { return ids_[number]->find(sorted[i]); });
}

Result<CurrentGeneration::FoundIds> CurrentGeneration::find_by_ranges(std::size_t number,
                                                                      std::span<const std::string_view> sorted) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  const auto docids =
      FROND_TRY(partition::find_ids_by_ranges("partition " + entry.id, entry.summary, files_.ranges_of(entry), sorted));
  return not_hidden(number, sorted, [&](std::size_t i) -> Result<std::optional<DocId>> { return docids[i]; });
}

// An id is of one document that is not hidden, so partitions are looked through each for itself, on a thread each.
Result<std::vector<std::optional<CurrentGeneration::Place>>> CurrentGeneration::find_each(
    std::span<const std::string> ids, Ids how) {
  constexpr std::size_t kLookUpsEach = 2000;  // a thread
  const std::size_t partitions = manifest_.partitions.size();
  std::vector<const PartitionEntry*> fetched;
  std::vector<bool> by_ranges(partitions);
  for (std::size_t p = 0; p < partitions; ++p) {
    const PartitionEntry& entry = manifest_.partitions[p];
    by_ranges[p] =
        how == Ids::kRanges && files_.missing_id_bytes(entry) > partition::kBytesPerRangedId * (ids.size() + 1);
    if (!by_ranges[p]) fetched.push_back(&entry);
  }
  FROND_TRY(files_.fetch_ids(fetched));
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  std::vector<std::string_view> sorted;  // blocks of ids are read once
  sorted.reserve(ids.size());
  for (const std::size_t i : order) sorted.emplace_back(ids[i]);
  std::vector<FoundIds> found(partitions);
  const auto look = [&](std::size_t p) -> Result<void> {
    auto some = by_ranges[p] ? find_by_ranges(p, sorted) : find_in(p, sorted);
    // What was damaged on the way is fetched as a whole, which is repeated where its checksum is wrong.
    if (!some && by_ranges[p] && some.error().code() == Code::kCorrupt) some = find_in(p, sorted);
    found[p] = FROND_TRY(std::move(some));
    return {};
  };
  const auto waiting = static_cast<std::size_t>(std::count(by_ranges.begin(), by_ranges.end(), true));
  const std::size_t threads = std::max(threads_for(partitions * ids.size(), kLookUpsEach),
                                       std::min(waiting, GenerationFiles::kPartitionsByRanges));
  FROND_TRY(in_parallel(partitions, threads, look));
  std::vector<std::optional<Place>> places(ids.size());
  for (std::size_t p = 0; p < partitions; ++p)
    for (const auto& [i, docid] : found[p]) places[order[i]] = Place{p, docid};
  return places;
}

bool CurrentGeneration::is_hidden(std::size_t number, DocId docid) const {
  return std::ranges::any_of(hidden_[number], [docid](std::span<const DocId> docids) {
    return std::binary_search(docids.begin(), docids.end(), docid);
  });
}

Result<std::vector<DocId>> CurrentGeneration::hidden(std::size_t number) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  auto hidden = partition::hidden_documents_of(entry.id, entry.summary.documents, changes_);
  if (hidden) return hidden;
  std::string files;
  for (const auto& file : manifest_.changes) files += (files.empty() ? "" : ", ") + file.name;
  return std::move(hidden).error().within(files);
}

Ordinal CurrentGeneration::next_ordinal() const {
  Ordinal next = 0;
  for (const PartitionEntry& entry : manifest_.partitions)
    if (entry.summary.documents > 0)
      next = std::max(next, entry.placement().ordinal(static_cast<DocId>(entry.summary.documents - 1)) + 1);
  return next;
}

}  // namespace frond::indexer::change
