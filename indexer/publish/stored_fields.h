#pragma once
// The stored fields of one partition on their way from its spool to its files: cut into blocks, which threads of the
// pool compress, many at a time.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/partition_writer.h"
#include "indexer/pipeline/field_sample.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {

inline constexpr std::size_t kBlockGroupBytes = std::size_t{256} << 10;

inline constexpr std::size_t kBlockValuesBytes = std::size_t{1} << 20;

// Adjacent blocks that travel together: kBlockGroupBytes of fields, kBlockValuesBytes of values and a block at most,
// unless a document is longer.
struct BlockGroup {
  struct Block {
    std::size_t begin = 0, end = 0;  // in `fields`
    std::uint32_t documents = 0;
  };
  std::shared_ptr<const runs::FieldBuffer> fields;                                  // shared by adjacent groups
  std::vector<Block> blocks;                                                        // at least one
  std::vector<std::uint32_t> lengths;                                               // of the documents
  std::vector<scoring::Prior> priors;                                               // of the documents
  std::shared_ptr<const ByteBuffer> values;                                         // shared as the fields are
  std::size_t values_begin = 0;                                                     // in `values`
  std::vector<std::uint32_t> value_sizes;                                           // of the documents
  std::uint64_t bytes() const { return blocks.back().end - blocks.front().begin; }  // of fields
  std::uint64_t held_bytes() const { return std::accumulate(value_sizes.begin(), value_sizes.end(), bytes()); }
};

// Cuts the documents of a spool into blocks. The blocks depend on the documents only, not on the spool's frames. One
// thread.
class BlockCutter {
 public:
  // block_bytes: of fields, in a block and its last document. Values of kBlockValuesBytes end a block, too.
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
  runs::SpoolReader::Documents documents_;  // not given yet
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

// The dictionary of a build, empty with StoredCompression::kFast. It is trained by a thread of the pool, while others
// build lists. Any thread.
class BuildDictionary {
 public:
  BuildDictionary(TaskPool& pool, partition::StoredCompression how, const pipeline::FieldSample& sample,
                  std::size_t partitions);
  // Waits for the training. The bytes stay as they are. kUnavailable: no memory.
  Result<const ByteBuffer*> bytes();
  // Called after bytes(). trained: with these bytes; otherwise without a dictionary.
  std::unique_ptr<partition::BlockCompressor> compressor(bool trained) const;

 private:
  const partition::StoredCompression how_;
  const ByteBuffer nothing_;
  Mutex mutex_;
  OrderedTasks<ByteBuffer> training_;
  // Set by the first call of bytes(), under mutex_.
  std::optional<Result<ByteBuffer>> bytes_;
  std::optional<partition::CompressionDictionary> trained_;
};

// The stored fields of all partitions on their way from spools to files. The threads that write partitions share what
// is in here: the dictionary, and the packers that compress for them.
class StoredFields {
 public:
  StoredFields(TaskPool& pool, partition::StoredCompression how, const pipeline::FieldSample& sample,
               const pipeline::WritePlan& memory, std::size_t partitions);

  // Writes the documents of a spool, which has `field_bytes` of fields, and counts them in `done`. Any
  // thread. Ends early when `stop` says so. Errors: kCorrupt, kUnavailable, and those of PartitionWriter::add_block().
  Result<void> write(partition::PartitionWriter& writer, const std::filesystem::path& spool, std::uint64_t field_bytes,
                     std::atomic<std::uint64_t>& done, const std::stop_token& stop);

 private:
  class Stream;
  // Of a thread of the pool, for that thread alone.
  partition::BlockCompressor& compressor(std::size_t worker, bool trained);

  TaskPool& pool_;
  const partition::StoredCompression how_;
  const pipeline::WritePlan memory_;
  BuildDictionary dictionary_;
  std::vector<std::unique_ptr<partition::BlockCompressor>> compressors_;  // two of each worker: untrained and trained
  Mutex large_frame_;  // held while one is written: there is memory for one long document
};

}  // namespace frond::indexer::publish
