#pragma once
// Caches decompressed blocks of stored fields for all open partitions of a process, within a budget of bytes. A hit
// saves a look-up in RocksDB, a decompression and a parse.
//
// A reader shares a block, so evicting it frees its memory only after the last reader. Two threads that miss the same
// block at the same time both load it. Any thread.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/base/ids.h"
#include "common/cache/shared_cache.h"
#include "common/partition/documents/document_block.h"

namespace frond::partition {

class DocumentBlockCache {
 public:
  using Block = std::shared_ptr<const DocumentBlock>;
  // Larger blocks are not cached. Usual ones have 4 KiB; larger ones hold a large document, of which this much is read.
  static constexpr std::size_t kMaxRawBytes = kMaxFrontBytes;

  // A block that is charged more than 1/64 of the budget is not cached. 0: no block is.
  explicit DocumentBlockCache(std::size_t budget_bytes) : kept_(budget_bytes, 4, 16) {}

  // Returns a number for a partition that opens. No other partition gets the same number.
  std::uint64_t add_partition() { return ++last_number_; }
  // Drops the partition's blocks. Afterwards none of its blocks may be inserted.
  void drop_partition(std::uint64_t partition) {
    kept_.remove_if([partition](const Key& key) { return key.first == partition; });
  }

  // Returns the block that begins with document `first`; null if it is not cached. Counts a hit or a miss.
  Block find(std::uint64_t partition, DocId first) { return kept_.find({partition, first}); }
  // Caches a block that begins with document `first`, unless it is too large or already cached.
  void insert(std::uint64_t partition, DocId first, Block block) {
    if (block->raw.size() > kMaxRawBytes) return;
    const std::size_t charge = charge_of(*block);
    kept_.insert({partition, first}, std::move(block), charge);
  }

  cache::Counters counters() const { return kept_.counters(); }
  std::size_t budget_bytes() const { return kept_.budget_bytes(); }
  // What a block is charged: all the memory that caching it takes.
  static std::size_t charge_of(const DocumentBlock& block) {
    // The control block of the shared pointer, the nodes of the list and of the index, and what the allocator adds to
    // each of an entry's five allocations.
    constexpr std::size_t kNodeBytes = 192;
    return Kept::entry_bytes() + kNodeBytes + sizeof block + block.raw.size() +
           block.documents.capacity() * sizeof(StoredDocument);
  }

 private:
  using Key = std::pair<std::uint64_t, DocId>;  // partition, first document
  struct HashOf {
    // Both numbers are small: spreads their bits over the whole hash.
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.first * 0x9e3779b97f4a7c15ULL + key.second;
      hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
      return hash ^ (hash >> 32);
    }
  };
  using Kept = cache::SharedCache<Key, Block, HashOf>;

  Kept kept_;
  std::atomic<std::uint64_t> last_number_{0};
};

}  // namespace frond::partition
