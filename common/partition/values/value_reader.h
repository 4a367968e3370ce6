#pragma once
// Reads the values of a partition's documents (value_table.h). Internal: includes RocksDB.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/files/database.h"
#include "common/partition/partition.h"
#include "common/partition/values/stored_sequences.h"
#include "common/partition/values/value_column.h"
#include "common/partition/values/value_table.h"
#include "common/schema/schema.h"

namespace frond::partition {

// Any thread. RocksDB may throw: callers are in guarded(). Methods as those of Partition.
class ValueReader {
 public:
  // Null: the partition has no schema. Where files are mapped, finds all chunks and checks columns and lengths. Errors:
  // kCorrupt, kUnavailable.
  // `sources`: where these are, if not in `database`.
  static Result<std::unique_ptr<const ValueReader>> open(std::shared_ptr<const Database> database,
                                                         const SummaryRecord& record,
                                                         std::shared_ptr<const Database> sources = nullptr);

  const schema::Schema& schema() const { return schema_; }
  const ValueColumn* column(std::uint32_t field) const {
    return field < columns_.size() ? columns_[field].get() : nullptr;
  }
  std::shared_ptr<const std::vector<std::uint32_t>> lengths_in(std::uint32_t field) const {
    return field < lengths_.size() ? lengths_[field] : nullptr;
  }
  const StoredSequences* sequences() const { return sequences_.get(); }
  ByteView token_codes(DocId docid) const { return sequences_ ? sequences_->record(docid) : ByteView(); }
  Result<std::string> source(DocId docid) const;
  Result<ByteBuffer> values_of(DocId docid) const;

 private:
  ValueReader(std::shared_ptr<const Database> database, schema::Schema schema, std::uint32_t documents)
      : database_(std::move(database)), schema_(std::move(schema)), documents_(documents) {}

  std::uint32_t groups() const { return (documents_ + kValueGroup - 1) / kValueGroup; }
  bool has_lengths(std::uint32_t field) const;
  Result<std::vector<DocId>> read_starts(const Column& column, std::uint64_t count) const;
  // The bytes where they are mapped, or a copy that is kept; nothing: they are not there.
  Result<std::optional<ByteView>> held(const std::string& key);
  Result<void> open_columns();
  Result<void> open_lengths(std::span<const std::uint64_t> field_tokens);
  Result<void> open_codes();

  // A value as a copy.
  Result<PinnedBytes> get(ValueKind kind, DocId first) const;
  // The block of sources that has the document, and its first; nothing: none has it.
  Result<std::optional<DocId>> read_sources(DocId docid, DocumentBlock& block) const;

  // What values_of() keeps, until the last document: a group's columns and lengths, a chunk of codes, a block of
  // sources.
  struct Group {
    std::optional<DocId> first;
    std::vector<PinnedBytes> bytes;
    std::vector<std::pair<std::uint32_t, ValueColumn>> columns;
    std::vector<std::pair<std::uint32_t, ByteView>> lengths;  // u32 by document
    std::optional<DocId> codes_first;
    PinnedBytes codes_bytes;
    CodesChunk codes;
    std::optional<DocId> sources_first;
    DocumentBlock sources;
  };
  Result<void> load_group(DocId docid, Group& group) const;
  Result<ByteView> codes_in(DocId docid, Group& group) const;
  Result<std::string_view> source_in(DocId docid, Group& group) const;

  const std::shared_ptr<const Database> database_;
  std::shared_ptr<const Database> sources_;  // null: database_
  const schema::Schema schema_;
  const std::uint32_t documents_;
  std::vector<DocId> code_starts_, source_starts_;
  // Where files are mapped.
  std::vector<std::unique_ptr<ValueColumn>> columns_;                       // by field; null: none
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> lengths_;  // by field; null: none
  std::unique_ptr<const StoredSequences> sequences_;                        // null: no document has one
  std::vector<PinnedBytes> copies_;                                         // of short chunks
  const BlockDecompressor decompressor_{ByteView()};
  mutable Mutex mutex_;
  mutable Group group_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::partition
