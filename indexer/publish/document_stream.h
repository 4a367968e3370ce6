#pragma once
// The stored fields of one partition on their way from its spool to its files: cut into blocks, which threads of the
// pool compress, many at a time.
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/partition_writer.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/field_buffer.h"

namespace frond::indexer::publish {

inline constexpr std::size_t kBlockGroupBytes = std::size_t{256} << 10;

// Adjacent blocks that travel together: kBlockGroupBytes of fields and a block at most, unless a document is longer.
struct BlockGroup {
  struct Block {
    std::size_t begin = 0, end = 0;  // in `fields`
    std::uint32_t documents = 0;
  };
  std::shared_ptr<const runs::FieldBuffer> fields;  // shared by adjacent groups
  std::vector<Block> blocks;                        // at least one
  std::vector<std::uint32_t> lengths;               // of the documents
  std::vector<scoring::Prior> priors;               // of the documents
  std::uint64_t bytes() const { return blocks.back().end - blocks.front().begin; }
};

// Cuts the documents of a spool into blocks. The blocks depend on the documents only, not on the spool's frames. One
// thread.
class BlockCutter {
 public:
  // block_bytes: of fields, in a block and its last document.
  BlockCutter(runs::SpoolReader spool, std::size_t block_bytes) : spool_(std::move(spool)), block_bytes_(block_bytes) {}
  // Bytes of fields of the frame that next() will read; 0: all have been read.
  Result<std::uint64_t> next_bytes() { return spool_.next_bytes(); }
  // Reads a frame and gives the blocks that are whole; none if there is little to cut yet. After the last frame gives
  // the rest, and from then on nothing. kCorrupt, kUnavailable.
  Result<std::vector<BlockGroup>> next();
  bool done() const { return ended_; }

 private:
  Result<std::vector<BlockGroup>> cut();
  runs::SpoolReader spool_;
  const std::size_t block_bytes_;
  bool ended_ = false;
  runs::FieldBuffer fields_;            // not given yet
  std::vector<std::uint32_t> lengths_;  // of their documents
  std::vector<scoring::Prior> priors_;
};

// A group, compressed.
struct PackedGroup {
  BlockGroup group;
  std::vector<partition::StoredDocument> documents;  // borrow group.fields
  std::unique_ptr<std::byte[]> bytes;                // of all blocks, one behind the other, and unused room
  std::vector<ByteView> blocks;                      // in `bytes`
};
PackedGroup pack(BlockGroup group, partition::BlockCompressor& compressor);
// Errors as PartitionWriter::add_block().
Result<void> add_group(partition::PartitionWriter& writer, const PackedGroup& packed);

}  // namespace frond::indexer::publish
