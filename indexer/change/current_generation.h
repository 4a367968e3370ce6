#pragma once
// The files of a published generation, as local ones: where they are if the repository is a directory, else fetched and
// kept for the next change. Several are fetched at a time.
#include <cstdint>
#include <filesystem>
#include <functional>
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

namespace frond::indexer::change {

// One thread. Errors of every method: kNotFound, kCorrupt, kUnavailable, naming the file.
class GenerationFiles {
 public:
  // Ranges of so many partitions are read at a time: a thread mostly waits for answers.
  static constexpr std::size_t kPartitionsByRanges = 4;
  // folder: the collection's, if its files are in place; empty: files are fetched from `source`, which is borrowed,
  // into `fetched`.
  GenerationFiles(const repository::RepositorySource& source, std::filesystem::path folder,
                  std::filesystem::path fetched)
      : source_(source), folder_(std::move(folder)), fetched_(std::move(fetched)) {}

  bool in_place() const { return !folder_.empty(); }
  // Files of term statistics and changes, in the same order.
  Result<std::vector<std::filesystem::path>> generation_files(std::span<const partition::PartitionFile> files) const;
  // The folder of a partition's files of ids, which fetch_ids() fetches where they are missing.
  std::filesystem::path id_folder(const repository::PartitionEntry& entry) const {
    return (in_place() ? folder_ / "partitions" : fetched_) / entry.id;
  }
  Result<void> fetch_ids(std::span<const repository::PartitionEntry* const> partitions) const;
  // Bytes that fetch_ids() would fetch.
  std::uint64_t missing_id_bytes(const repository::PartitionEntry& entry) const;
  // The folder with the partition's files: where they are, or `scratch`, into which they are fetched; without those of
  // ids, which a PublishedPartition does not need, or with them.
  Result<std::filesystem::path> for_reading(const repository::PartitionEntry& entry,
                                            const std::filesystem::path& scratch, bool ids = false) const;
  // Reads ranges of the partition's published files. Any thread; `entry` and this outlive it.
  partition::ReadRange ranges_of(const repository::PartitionEntry& entry) const;
  // Removes fetched files that the generation does not name, also parts of files.
  void keep_only(const repository::Manifest& manifest) const;
  // Takes files that were just published as fetched ones, as far as the next change wants them: `terms` and `changes`
  // of this manifest (empty: none are new), and ids of its partitions in `building`. What can't be taken is fetched
  // then.
  void keep_published(const repository::Manifest& manifest, const std::filesystem::path& building,
                      const std::filesystem::path& terms, const std::filesystem::path& changes) const;

 private:
  struct Wanted {
    std::string path;
    partition::PartitionFile file;
    std::filesystem::path to;
  };
  // Adds the partition's files, those with ids or those without, which are to be in `folder`.
  static void want(const repository::PartitionEntry& entry, const std::filesystem::path& folder, bool ids, bool others,
                   std::vector<Wanted>& all);
  Result<void> fetch_all(const std::vector<Wanted>& all) const;
  Result<void> fetch(const Wanted& wanted) const;
  std::filesystem::path name_of_fetched(const partition::PartitionFile& file) const;
  const repository::RepositorySource& source_;
  const std::filesystem::path folder_, fetched_;
};

// The current generation of a collection, open for a change: its statistics, its hidden documents, and where a document
// with an external id is. What is opened is in proportion to what is asked for.
// One thread, but any number for files(), into different folders. Errors of every method: kCorrupt,
// kUnavailable, naming the file or partition.
class CurrentGeneration {
 public:
  // `writer` holds the collection, and outlives this. Of an object store, term statistics, changes and ids are kept in
  // the folder "fetched" beside writer.building(). kNotFound: it has no generation yet; kUnavailable also: see
  // expect_own().
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
  const GenerationFiles& files() const { return files_; }
  // Above the ordinals of all documents, hidden ones too.
  Ordinal next_ordinal() const;

 private:
  explicit CurrentGeneration(GenerationFiles files) : files_(std::move(files)) {}
  bool is_hidden(std::size_t number, DocId docid) const;
  // Of sorted ids, those that the partition has and that are not hidden there: which they are, and their documents.
  using FoundIds = std::vector<std::pair<std::size_t, DocId>>;
  Result<FoundIds> not_hidden(std::size_t number, std::span<const std::string_view> sorted,
                              const std::function<Result<std::optional<DocId>>(std::size_t)>& docid_of) const;
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
