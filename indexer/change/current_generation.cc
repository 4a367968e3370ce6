#include "indexer/change/current_generation.h"

#include <algorithm>
#include <utility>

#include "common/partition/term_statistics.h"

namespace frond::indexer::change {

namespace fs = std::filesystem;
using partition::Partition;
using repository::PartitionEntry;

Result<std::unique_ptr<CurrentGeneration>> CurrentGeneration::open(const repository::RepositoryWriter& writer) {
  const fs::path& folder = writer.folder();
  std::unique_ptr<CurrentGeneration> opened(new CurrentGeneration(folder));
  const auto source =
      FROND_TRY(repository::RepositorySource::open(folder.parent_path().string(), folder.filename().string()));
  const auto number = source->current();
  if (!number && number.error().code() == Code::kNotFound)
    return Error(Code::kNotFound, "collection " + folder.filename().string() +
                                      " has no generation to change: make one with frond-indexer build");
  if (!number) return number.error();
  opened->manifest_ = FROND_TRY(source->manifest(*number));
  const repository::Manifest& manifest = opened->manifest_;
  opened->base_ =
      FROND_TRY(partition::GenerationTerms::open(folder / repository::generation_file_path(manifest.term_statistics)));
  for (const auto& file : manifest.changes)
    opened->changes_.push_back(FROND_TRY(partition::Changes::open(folder / repository::generation_file_path(file))));
  opened->terms_ = opened->changes_.empty() ? opened->base_ : partition::changed_terms(opened->base_, opened->changes_);
  for (const PartitionEntry& entry : manifest.partitions) {
    auto hidden = FROND_TRY(partition::hidden_documents_of(entry.id, entry.summary.documents, opened->changes_));
    if (hidden.size() != entry.hidden.documents)
      return Error(Code::kCorrupt, "partition " + entry.id + " has " + std::to_string(hidden.size()) +
                                       " hidden documents; the manifest says " +
                                       std::to_string(entry.hidden.documents));
    opened->hidden_.push_back(std::move(hidden));
  }
  opened->ids_.resize(manifest.partitions.size());
  return opened;
}

Result<std::optional<CurrentGeneration::Place>> CurrentGeneration::find(std::string_view id) {
  for (std::size_t p = manifest_.partitions.size(); p-- > 0;) {  // the newest first
    const PartitionEntry& entry = manifest_.partitions[p];
    if (ids_[p] == nullptr)
      ids_[p] = FROND_TRY(partition::IdFiles::open(folder_ / "partitions" / entry.id, entry.summary.files));
    const auto docid = FROND_TRY(ids_[p]->find(id));
    if (docid && !std::binary_search(hidden_[p].begin(), hidden_[p].end(), *docid))
      return std::optional<Place>(Place{p, *docid});
  }
  return std::optional<Place>();
}

Result<std::shared_ptr<const Partition>> CurrentGeneration::open_partition(std::size_t number,
                                                                           const fs::path& scratch) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  FROND_TRY(Partition::ingest(folder_ / "partitions" / entry.id, entry.summary.files, scratch, /*move=*/false));
  auto opened = Partition::open(scratch, partition::FileReads::kMapped);
  if (!opened) return std::move(opened).error().within("partition " + entry.id);
  return opened;
}

Ordinal CurrentGeneration::next_ordinal() const {
  Ordinal next = 0;
  for (const PartitionEntry& entry : manifest_.partitions)
    if (entry.summary.documents > 0)
      next = std::max(next, entry.placement().ordinal(static_cast<DocId>(entry.summary.documents - 1)) + 1);
  return next;
}

}  // namespace frond::indexer::change
