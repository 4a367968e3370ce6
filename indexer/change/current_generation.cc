#include "indexer/change/current_generation.h"

#include <algorithm>
#include <utility>

#include "common/partition/term_statistics.h"

namespace frond::indexer::change {

namespace fs = std::filesystem;
using partition::PublishedPartition;
using repository::PartitionEntry;

Result<std::unique_ptr<CurrentGeneration>> CurrentGeneration::open(const repository::RepositoryWriter& writer) {
  const fs::path& folder = writer.folder();
  return open(writer.source(), folder.filename().string(),
              {writer.source(), writer.in_place() ? folder : fs::path(), folder / "fetched"});
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
    for (const partition::ChangesPtr& one : opened->changes_)
      if (const auto found = one->hidden().find(entry.id); found != one->hidden().end()) {
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

Result<std::optional<CurrentGeneration::Place>> CurrentGeneration::find(std::string_view id) {
  for (std::size_t p = manifest_.partitions.size(); p-- > 0;) {  // the newest first
    const PartitionEntry& entry = manifest_.partitions[p];
    if (ids_[p] == nullptr) {
      const fs::path folder = FROND_TRY(files_.partition_files(entry, partition::has_ids));
      ids_[p] = FROND_TRY(partition::IdFiles::open(folder, entry.summary.files));
    }
    const auto docid = FROND_TRY(ids_[p]->find(id));
    if (docid && !is_hidden(p, *docid)) return std::optional<Place>(Place{p, *docid});
  }
  return std::optional<Place>();
}

bool CurrentGeneration::is_hidden(std::size_t number, DocId docid) const {
  return std::ranges::any_of(hidden_[number], [docid](std::span<const DocId> docids) {
    return std::binary_search(docids.begin(), docids.end(), docid);
  });
}

Result<std::vector<DocId>> CurrentGeneration::hidden(std::size_t number) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  return partition::hidden_documents_of(entry.id, entry.summary.documents, changes_);
}

Result<std::unique_ptr<const PublishedPartition>> CurrentGeneration::open_partition(std::size_t number,
                                                                                    const fs::path& scratch) const {
  const PartitionEntry& entry = manifest_.partitions[number];
  const fs::path folder = FROND_TRY(files_.for_reading(entry, scratch));
  auto opened = PublishedPartition::open(folder, entry.summary.files);
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
