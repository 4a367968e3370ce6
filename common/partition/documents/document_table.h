#pragma once
// Writes the `documents` table: documents in docID order, compressed in blocks. Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/documents/heads.h"
#include "common/partition/files/sst_table.h"

namespace frond::partition {

// One thread. Documents come one by one, and then the first 4 MiB are held back until a dictionary has been trained
// from them, if there is to be one; or they come in blocks that are compressed already. Errors: as SstTable.
class DocumentTable {
 public:
  DocumentTable(const std::filesystem::path& folder, StoredCompression how);

  Result<void> add(const StoredDocument& document);
  // A block of the next `documents` documents, from a BlockCompressor. Not after add().
  Result<void> add_block(ByteView block, std::uint32_t documents);
  // Writes what is held back. Called once, last.
  Result<std::vector<PartitionFile>> finish();
  // The first docID of each block.
  std::span<const DocId> starts() const { return starts_; }
  // Of the documents from add(). Complete after finish(); empty if there was too little to learn from.
  const ByteBuffer& dictionary() const { return dictionary_; }

 private:
  void train();
  Result<void> write_blocks(bool all);

  SstTable table_;
  const StoredCompression how_;
  std::unique_ptr<BlockCompressor> compressor_;  // null until trained
  ByteBuffer dictionary_;
  ByteBuffer pending_;
  std::vector<std::size_t> sizes_;  // of the documents in pending_
  std::vector<DocId> starts_;
  DocId next_docid_ = 0;
};

// Writes the heads of documents (heads.h) to files of table `arrays`. Internal: includes RocksDB.

// One thread. Holds a chunk, at most kHeadChunkBytes and a head. Errors: as SstTable.
class HeadTable {
 public:
  explicit HeadTable(const std::filesystem::path& folder);

  // Adds the next document, in docID order from 0.
  Result<void> add(const StoredDocument& document);
  // Writes what is held back. Called once, last.
  Result<std::vector<PartitionFile>> finish();
  // The first docID of each chunk. Complete after finish().
  std::span<const DocId> starts() const { return starts_; }

 private:
  Result<void> write_chunk();

  SstTable table_;
  ByteBuffer heads_;
  std::vector<std::uint32_t> ends_;  // of the documents in heads_
  std::vector<DocId> starts_;
  DocId next_docid_ = 0;
};

}  // namespace frond::partition
