#pragma once
// Caches decompressed blocks of stored fields for all open partitions of a process, within a budget of bytes. A hit
// saves a look-up in RocksDB, a decompression and a parse.
//
// Which blocks stay: common/cache/segmented_lru.h, in 16 shards with a lock each. A reader shares a block, so evicting
// it frees its memory only after the last reader. Two threads that miss the same block at the same time both load it.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/ids.h"
#include "common/partition/documents/document_block.h"

namespace frond::partition {

// Any thread.
class DocumentBlockCache {
 public:
  using Block = std::shared_ptr<const DocumentBlock>;
  struct Counters {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;  // dropped to make room
    std::uint64_t bytes = 0;      // held now
  };
  // Larger blocks are not cached. Usual ones have 4 KiB; larger ones hold a large document, of which this much is read.
  static constexpr std::size_t kMaxRawBytes = kMaxFrontBytes;

  // A block that is charged more than 1/64 of the budget is not cached. 0: no block is.
  explicit DocumentBlockCache(std::size_t budget_bytes);
  ~DocumentBlockCache();
  DocumentBlockCache(const DocumentBlockCache&) = delete;
  DocumentBlockCache& operator=(const DocumentBlockCache&) = delete;

  // Returns a number for a partition that opens. No other partition gets the same number.
  std::uint64_t add_partition() { return ++last_number_; }
  // Drops the partition's blocks. Afterwards none of its blocks may be inserted.
  void drop_partition(std::uint64_t partition);

  // Returns the block that begins with document `first`; null if it is not cached. Counts a hit or a miss.
  Block find(std::uint64_t partition, DocId first);
  // Caches a block that begins with document `first`, unless it is too large or already cached.
  void insert(std::uint64_t partition, DocId first, Block block);

  Counters counters() const;
  std::size_t budget_bytes() const { return budget_; }
  // What a block is charged: all the memory that caching it takes.
  static std::size_t charge_of(const DocumentBlock& block);

 private:
  struct Key;
  struct KeyHash;
  struct Shard;
  static constexpr std::size_t kShards = 16;

  Shard& shard_of(const Key& key);

  const std::size_t budget_;
  std::array<std::unique_ptr<Shard>, kShards> shards_;
  std::atomic<std::uint64_t> last_number_{0};
};

}  // namespace frond::partition
