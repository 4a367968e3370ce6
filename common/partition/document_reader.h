#pragma once
// Reads the stored fields of a partition's documents from its database. Internal to this folder.
//
// The array of the blocks' first docIDs tells which block holds a document, so a block costs one look-up. Partitions
// written before that array existed are searched backwards, for which RocksDB reads up to three blocks.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/database.h"
#include "common/partition/document_block.h"
#include "common/partition/partition.h"

namespace frond::partition {

// Any thread.
class DocumentReader {
 public:
  // block_starts: the first docID of each block, ascending from 0; empty if unknown.
  DocumentReader(std::shared_ptr<const Database> database, std::uint32_t documents, std::vector<DocId> block_starts,
                 ByteView dictionary)
      : database_(std::move(database)),
        documents_(documents),
        block_starts_(std::move(block_starts)),
        decompressor_(dictionary) {}

  // Whether to read only the front of a large block (document_block.h).
  enum class Extent : std::uint8_t { kFront, kWhole };
  void read(std::span<const DocId> docids, Extent extent, const Partition::DocumentVisit& visit) const;
  Result<void> for_each(const std::function<bool(DocId, const StoredDocument&)>& visit) const;

 private:
  // Fills `block` with the block that holds the document, and returns the first docID in it.
  Result<DocId> load(DocId docid, Extent extent, DocumentBlock& block) const;
  Result<DocId> load_backwards(DocId docid, Extent extent, DocumentBlock& block) const;
  Result<void> decompress(ByteView value, Extent extent, DocumentBlock& block) const;
  std::string name_of_document(DocId docid) const;

  std::shared_ptr<const Database> database_;
  std::uint32_t documents_;
  std::vector<DocId> block_starts_;
  BlockDecompressor decompressor_;
};

}  // namespace frond::partition
