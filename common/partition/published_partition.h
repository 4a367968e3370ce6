#pragma once
// Some documents and lists of a partition, from its published files: what is read is in proportion to what is asked
// for, whatever the partition's size. Only the index of each file that is touched is read
// whole, about 20 bytes for each 4 KiB of the file.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/partition_writer.h"

namespace rocksdb {
class Iterator;
}

namespace frond::partition {

class Database;

// One thread. Errors name the folder and the key: kCorrupt, kUnavailable.
class PublishedPartition {
 public:
  // files: those of a PartitionSummary, in `folder`; those of heads, priors, token codes and sources are not needed.
  static Result<std::unique_ptr<const PublishedPartition>> open(const std::filesystem::path& folder,
                                                                std::span<const PartitionFile> files);
  virtual ~PublishedPartition() = default;

  virtual std::uint32_t documents() const = 0;
  // Tokens of the document, which is one of documents(). Four bytes are read and no checksum is verified: callers
  // compare the length with the document or with the lists.
  virtual Result<std::uint32_t> length(DocId docid) const = 0;
  // The same in each text field with field_search, by the field's place in the partition's schema; empty: it has none.
  virtual Result<std::vector<std::uint32_t>> field_lengths(DocId docid) const = 0;
  // Its term digest (term_digests.h); nothing if the partition has none. Read as length() is.
  virtual Result<std::optional<std::uint64_t>> term_digest(DocId docid) const = 0;
  virtual Result<OwnedDocument> document(DocId docid) const = 0;
  // As Partition::read_documents(), but documents are read whole.
  virtual void read_documents(std::span<const DocId> docids, const Partition::DocumentVisit& visit) const = 0;
  // As Partition::list() with FileReads::kMapped: ask PinnedBytes::intact(). kNotFound: it does not have the term.
  virtual Result<TermList> list(std::string_view term) const = 0;
  // All terms, in byte order.
  virtual std::unique_ptr<TermCursor> terms() const = 0;
  // Whether the files have the sizes that they were opened with and could be read: asked last.
  virtual Result<void> check_files() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
};

// The sources of a partition's documents, from its published files. One thread. Files are opened when they are first
// needed and stay open.
class PublishedSources {
 public:
  // files: those of a PartitionSummary, in `folder`. Errors, of every method, name the folder: kCorrupt, kUnavailable.
  static Result<std::unique_ptr<const PublishedSources>> open(const std::filesystem::path& folder,
                                                              std::span<const PartitionFile> files);
  virtual ~PublishedSources() = default;
  // As Partition::source(): empty where none is kept.
  virtual Result<std::string> source(DocId docid) const = 0;
};

// kCorrupt, naming the file: one belongs to no table, or is named twice.
Result<void> expect_tables(std::span<const PartitionFile> files);

// Whether a file of a partition has ids.
bool has_ids(const PartitionFile& file);

// Finds external ids in a partition's files. One thread. Files are opened when they are first needed and stay open;
// memory for their indexes is at most 4 MiB.
class IdFiles {
 public:
  // files: those of a PartitionSummary, in `folder`; files of other tables are skipped. Errors, of every method, name
  // the file or the folder: kCorrupt, kUnavailable.
  IdFiles(const std::filesystem::path& folder, std::span<const PartitionFile> files);
  ~IdFiles();
  IdFiles(const IdFiles&) = delete;
  IdFiles& operator=(const IdFiles&) = delete;
  // The document; nothing if the partition does not have the id. Best in ascending order.
  Result<std::optional<DocId>> find(std::string_view id);
  // Visits every id in byte order, until `visit` returns an error.
  Result<void> for_each(const std::function<Result<void>(std::string_view id, DocId docid)>& visit);

 private:
  Result<DocId> docid() const;  // where the iterator is

  const std::shared_ptr<const Database> database_;
  const std::unique_ptr<rocksdb::Iterator> at_;
  std::optional<std::string> sought_;  // at_ stands at the first id that is not before this one; none: it need not
};

}  // namespace frond::partition
