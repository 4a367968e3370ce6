#pragma once
// Reads the stored fields of a partition's documents from its database. Internal to this folder.
//
// The array of the blocks' first docIDs tells which block holds a document, so a block costs one look-up. Partitions
// written before that array existed are searched backwards, for which RocksDB reads up to three blocks, and their
// blocks are not cached.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/documents/document_block_cache.h"
#include "common/partition/files/database.h"
#include "common/partition/partition.h"

namespace frond::partition {

// Any thread.
class DocumentReader {
 public:
  // block_starts: the first docID of each block, ascending from 0; empty if unknown. `cache` may be null.
  DocumentReader(std::shared_ptr<const Database> database, std::uint32_t documents, std::vector<DocId> block_starts,
                 ByteView dictionary, std::shared_ptr<DocumentBlockCache> cache = nullptr);
  ~DocumentReader();  // drops its blocks from the cache
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  // Whether to read only the front of a large block (document_block.h). Only kFront uses the cache.
  enum class Extent : std::uint8_t { kFront, kWhole };
  void read(std::span<const DocId> docids, Extent extent, const Partition::DocumentVisit& visit) const;
  // As Partition::document_cursor(). This outlives it.
  std::unique_ptr<DocumentCursor> cursor() const;
  Result<void> for_each(const std::function<bool(DocId, const StoredDocument&)>& visit) const;

 private:
  struct Held;
  class Cursor;
  // The document, in `held`, which is changed if it does not have it; it has none after an error.
  Result<StoredDocument> find(DocId docid, Extent extent, Held& held) const;
  // Fills `held` with the block that holds the document.
  Result<void> load(DocId docid, Extent extent, Held& held) const;
  // The block that begins with document `first`, from the cache or loaded. Errors name `docid`.
  Result<DocumentBlockCache::Block> cached_block(DocId docid, DocId first) const;
  Result<void> load_block(DocId docid, DocId first, Extent extent, DocumentBlock& block) const;
  // Fills `block` with the block that holds the document, and returns the first docID in it.
  Result<DocId> load_backwards(DocId docid, Extent extent, DocumentBlock& block) const;
  Result<void> decompress(ByteView value, Extent extent, DocumentBlock& block) const;
  std::string name_of_document(DocId docid) const;

  std::shared_ptr<const Database> database_;
  std::uint32_t documents_;
  std::vector<DocId> block_starts_;
  BlockDecompressor decompressor_;
  const std::shared_ptr<DocumentBlockCache> cache_;
  const std::uint64_t number_;  // of this partition in the cache
};

}  // namespace frond::partition
