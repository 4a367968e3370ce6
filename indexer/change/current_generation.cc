#include "indexer/change/current_generation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/parallel.h"
#include "common/partition/ranged_ids.h"
#include "common/partition/term_statistics.h"

namespace frond::indexer::change {

namespace fs = std::filesystem;
using partition::PublishedPartition;
using repository::PartitionEntry;

namespace {

Result<void> expect_document(const PartitionEntry& entry, std::string_view id, DocId docid) {
  if (docid < entry.summary.documents) return {};
  return Error(Code::kCorrupt, "partition " + entry.id + ": the id " + partition::printable(id) + " is of document " +
                                   std::to_string(docid) + " of " + std::to_string(entry.summary.documents));
}

}  // namespace

Result<std::unique_ptr<CurrentGeneration>> CurrentGeneration::open(const repository::RepositoryWriter& writer) {
  const fs::path& folder = writer.in_place() ? writer.published_folder() : writer.folder();
  return open(writer.source(), folder.filename().string(),
              {writer.source(), writer.published_folder(), writer.folder() / "fetched"});
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
  FROND_TRY(opened->files_.fetch_generation_files(statistics));
  const fs::path base = FROND_TRY(opened->files_.generation_file(manifest.term_statistics));
  opened->base_ = FROND_TRY(partition::GenerationTerms::open(base));
  for (const auto& file : manifest.changes) {
    const fs::path local = FROND_TRY(opened->files_.generation_file(file));
    opened->changes_.push_back(FROND_TRY(partition::Changes::open(local)));
  }
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

Result<void> CurrentGeneration::open_ids(std::size_t number) {
  if (ids_[number] != nullptr) return {};
  const PartitionEntry& entry = manifest_.partitions[number];
  const fs::path folder = FROND_TRY(files_.id_files(entry));
  ids_[number] = FROND_TRY(partition::IdFiles::open(folder, entry.summary.files));
  return {};
}

Result<CurrentGeneration::FoundIds> CurrentGeneration::find_in(std::size_t number,
                                                               std::span<const std::string_view> sorted) {
  FROND_TRY(open_ids(number));
  FoundIds found;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto docid = FROND_TRY(ids_[number]->find(sorted[i]));
    if (docid) FROND_TRY(expect_document(manifest_.partitions[number], sorted[i], *docid));
    if (docid && !is_hidden(number, *docid)) found.emplace_back(i, *docid);
  }
  return found;
}

Result<CurrentGeneration::FoundIds> CurrentGeneration::find_by_ranges(std::size_t number,
                                                                      std::span<const std::string_view> sorted) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  const auto ids = partition::RangedIds::open("partition " + entry.id, entry.summary, files_.ranges_of(entry));
  const auto docids = FROND_TRY(ids->find(sorted));
  FoundIds found;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (docids[i]) FROND_TRY(expect_document(entry, sorted[i], *docids[i]));
    if (docids[i] && !is_hidden(number, *docids[i])) found.emplace_back(i, *docids[i]);
  }
  return found;
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

Result<std::map<std::size_t, std::vector<DocId>>> CurrentGeneration::find_all(std::span<const std::string> ids,
                                                                              Ids how) {
  std::map<std::size_t, std::vector<DocId>> all;
  for (const auto& place : FROND_TRY(find_each(ids, how)))
    if (place) all[place->partition].push_back(place->docid);
  for (auto& [partition, docids] : all) {
    std::sort(docids.begin(), docids.end());
    docids.erase(std::unique(docids.begin(), docids.end()), docids.end());
  }
  return all;
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

Result<std::unique_ptr<const PublishedPartition>> CurrentGeneration::open_partition(std::size_t number,
                                                                                    const fs::path& scratch) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  const fs::path folder = FROND_TRY(files_.for_reading(entry, scratch));
  auto opened = PublishedPartition::open(folder, entry.summary.files);
  if (!opened) return std::move(opened).error().within("partition " + entry.id);
  return opened;
}

std::unique_ptr<partition::RangedPartition> CurrentGeneration::open_by_ranges(std::size_t number) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  return partition::RangedPartition::open("partition " + entry.id, entry.summary, files_.ranges_of(entry));
}

Ordinal CurrentGeneration::next_ordinal() const {
  Ordinal next = 0;
  for (const PartitionEntry& entry : manifest_.partitions)
    if (entry.summary.documents > 0)
      next = std::max(next, entry.placement().ordinal(static_cast<DocId>(entry.summary.documents - 1)) + 1);
  return next;
}

}  // namespace frond::indexer::change
