#pragma once
// The current generation of a collection, open for a change: its statistics, its hidden documents, and where a document
// with an external id is. Nothing is ingested: what is opened is in proportion to what is asked for.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/published_partition.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/partition/terms/change_file.h"
#include "common/repository/repository.h"
#include "indexer/change/generation_files.h"

namespace frond::indexer::change {

// What looking up an id takes beside its text.
inline constexpr std::size_t kBytesOfAnId = sizeof(std::string) + 64;
inline constexpr std::size_t kIdBytesAtOnce = std::size_t{4} << 20;  // of ids that a change has in memory

// One thread, but any number for open_partition(), into different folders. Errors of every method: kCorrupt,
// kUnavailable, naming the file or partition.
class CurrentGeneration {
 public:
  // `writer` holds the collection, and outlives this. Of an object store, term statistics, changes and ids are kept in
  // the folder "fetched" beside writer.building(). kNotFound: it has no generation yet.
  static Result<std::unique_ptr<CurrentGeneration>> open(const repository::RepositoryWriter& writer);
  // The generation that is current now; others may publish and prune meanwhile. `source` outlives this and is of
  // `collection`. Where files are not in place, `files` fetches them.
  static Result<std::unique_ptr<CurrentGeneration>> open(const repository::RepositorySource& source,
                                                         std::string_view collection, GenerationFiles files);

  const repository::Manifest& manifest() const { return manifest_; }
  const partition::GenerationTerms& terms() const { return *terms_; }
  const std::shared_ptr<const partition::GenerationTerms>& base_terms() const { return base_; }  // without `changes`
  const std::vector<partition::ChangesPtr>& changes() const { return changes_; }                 // as in the manifest
  // Of the partition with this number, ascending. They are put together from all files of changes.
  Result<std::vector<DocId>> hidden(std::size_t number) const;

  struct Place {
    std::size_t partition = 0;  // its number
    DocId docid = 0;
  };
  // Ids of an object store are kept for the next change, of which there will be many. Else only few bytes are read for
  // few ids, and nothing is kept.
  enum class Ids : std::uint8_t { kKept, kRanges };
  // For each id: nothing if no document of the generation has it. On several threads.
  Result<std::vector<std::optional<Place>>> find_each(std::span<const std::string> ids, Ids how);
  // The same: the documents found, by partition; ascending, each once.
  Result<std::map<std::size_t, std::vector<DocId>>> find_all(std::span<const std::string> ids, Ids how);
  bool in_place() const { return files_.in_place(); }
  // A partition where it was published. Of an object store, its files are fetched into `scratch`, which the caller
  // removes when it has dropped the partition.
  Result<std::unique_ptr<const partition::PublishedPartition>> open_partition(
      std::size_t number, const std::filesystem::path& scratch) const;
  // Of an object store: what a removal needs of the partition, without its files.
  std::unique_ptr<partition::RangedPartition> open_by_ranges(std::size_t number) const;
  // As GenerationFiles::keep_published(), of a change of this generation.
  void keep_published(const repository::Manifest& manifest, const std::filesystem::path& building,
                      const std::filesystem::path& terms, const std::filesystem::path& changes) const {
    files_.keep_published(manifest, building, terms, changes);
  }
  // Above the ordinals of all documents, hidden ones too.
  Ordinal next_ordinal() const;

 private:
  explicit CurrentGeneration(GenerationFiles files) : files_(std::move(files)) {}
  bool is_hidden(std::size_t number, DocId docid) const;
  Result<void> open_ids(std::size_t number);
  // Of sorted ids, those that the partition has and that are not hidden there: which they are, and their documents.
  using FoundIds = std::vector<std::pair<std::size_t, DocId>>;
  Result<FoundIds> find_in(std::size_t number, std::span<const std::string_view> sorted);
  Result<FoundIds> find_by_ranges(std::size_t number, std::span<const std::string_view> sorted) const;
  GenerationFiles files_;
  repository::Manifest manifest_;
  std::shared_ptr<const partition::GenerationTerms> base_, terms_;
  std::vector<partition::ChangesPtr> changes_;
  std::vector<std::vector<std::span<const DocId>>> hidden_;  // by partition: what each of `changes_` hides, ascending
  std::vector<std::unique_ptr<partition::IdFiles>> ids_;     // by partition; null: not asked yet
};

}  // namespace frond::indexer::change
