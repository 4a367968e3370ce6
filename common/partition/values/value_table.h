#pragma once
// Writes the values of a partition's documents (document_values.h): takes their records apart and puts columns, lengths
// in fields, token codes and sources each where they are searched (kValueFiles of format.h). Internal: includes
// RocksDB.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/files/sst_table.h"
#include "common/partition/format/format.h"
#include "common/partition/values/document_values.h"
#include "common/partition/values/value_column.h"
#include "common/schema/schema.h"

namespace frond::partition {

// A chunk of token codes ends with the document that fills this, or with kValueGroup; a block of sources likewise.
inline constexpr std::size_t kCodesChunkBytes = std::size_t{1} << 20;
inline constexpr std::size_t kSourceBlockBytes = std::size_t{32} << 10;  // before compression

// One thread. Errors: as SstTable. Memory: kValueGroup documents of each column, at most kMaxColumnChunkBytes, and of
// each field with lengths, a chunk of codes, a block of sources and a record, and RocksDB's buffers of three files.
class ValueTable {
 public:
  ValueTable(const std::filesystem::path& folder, std::shared_ptr<const schema::Schema> schema);

  // Adds the record of the next document, in docID order from 0; empty: it has none. Also kInvalid: it is larger than
  // kMaxValuesBytes, its codes are none, or a column has more than kMaxColumnChunkBytes; kCorrupt: as decode_values().
  Result<void> add(ByteView record);
  // Writes what is held back. Called once, last.
  Result<std::vector<PartitionFile>> finish();

  const schema::Schema& schema() const { return *schema_; }
  // Complete after finish(). Tokens in each field; the first docID of each chunk and block, and how many values there
  // are of each kind.
  const std::vector<std::uint64_t>& field_tokens() const { return field_tokens_; }
  std::span<const DocId> code_starts() const { return code_starts_; }
  std::span<const DocId> source_starts() const { return source_starts_; }
  std::array<std::uint64_t, kValueKinds> entries() const;

 private:
  struct FieldColumn {
    std::uint32_t field = 0;
    ColumnChunkWriter chunk;
  };
  struct FieldLengths {
    std::uint32_t field = 0;
    std::vector<std::uint32_t> lengths;  // of the group's documents
  };
  SstTable& table(ValueKind kind) { return *tables_[static_cast<std::size_t>(kind)]; }
  Result<void> add_columns(std::span<const DocumentValues::Column> columns);
  Result<void> add_codes(ByteView codes);
  Result<void> add_source(std::string_view source);
  Result<void> write_group();
  Result<void> write_codes();
  Result<void> write_sources();

  const std::shared_ptr<const schema::Schema> schema_;
  std::array<std::unique_ptr<SstTable>, kValueKinds> tables_;
  DocId documents_ = 0;
  std::vector<FieldColumn> columns_;
  std::vector<FieldLengths> lengths_;
  std::vector<std::uint64_t> field_tokens_;
  ByteBuffer codes_;
  std::vector<std::uint32_t> code_ends_;     // in codes_
  DocId code_first_ = 0, source_first_ = 0;  // the first documents that are held back
  ByteBuffer sources_;                       // as append_document() has them
  std::uint32_t sources_held_ = 0;           // documents in sources_
  bool any_source_ = false;                  // of them
  BlockCompressor compressor_{ByteView()};
  std::vector<DocId> code_starts_, source_starts_;
};

}  // namespace frond::partition
