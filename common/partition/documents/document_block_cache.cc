#include "common/partition/documents/document_block_cache.h"

#include <utility>

#include "common/base/mutex.h"
#include "common/cache/segmented_lru.h"

namespace frond::partition {
namespace {

// A block may be charged at most this share of its shard's budget.
constexpr std::size_t kMaxShare = 4;
// The control block of the shared pointer, the nodes of the list and of the index, and what the allocator adds to each
// of an entry's five allocations.
constexpr std::size_t kNodeBytes = 192;

}  // namespace

struct DocumentBlockCache::Key {
  std::uint64_t partition = 0;
  DocId first = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct DocumentBlockCache::KeyHash {
  // Both numbers are small: spreads their bits over the whole hash. The high bits choose the shard.
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = key.partition * 0x9e3779b97f4a7c15ULL + key.first;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
    return hash ^ (hash >> 32);
  }
};

struct DocumentBlockCache::Shard {
  explicit Shard(std::size_t budget) : kept(budget, kMaxShare) {}
  Mutex mutex;
  cache::SegmentedLru<Key, Block, KeyHash> kept FROND_GUARDED_BY(mutex);
  std::uint64_t hits FROND_GUARDED_BY(mutex) = 0, misses FROND_GUARDED_BY(mutex) = 0;
};

DocumentBlockCache::DocumentBlockCache(std::size_t budget_bytes) : budget_(budget_bytes) {
  for (auto& shard : shards_) shard = std::make_unique<Shard>(budget_bytes / kShards);
}
DocumentBlockCache::~DocumentBlockCache() = default;

DocumentBlockCache::Shard& DocumentBlockCache::shard_of(const Key& key) {
  return *shards_[(KeyHash()(key) >> 60) % kShards];
}

std::size_t DocumentBlockCache::charge_of(const DocumentBlock& block) {
  return decltype(Shard::kept)::entry_bytes() + kNodeBytes + sizeof block + block.raw.size() +
         block.documents.capacity() * sizeof(StoredDocument);
}

DocumentBlockCache::Block DocumentBlockCache::find(std::uint64_t partition, DocId first) {
  const Key key{partition, first};
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  const Block* const found = shard.kept.find(key);
  ++(found ? shard.hits : shard.misses);
  return found ? *found : nullptr;
}

void DocumentBlockCache::insert(std::uint64_t partition, DocId first, Block block) {
  if (block->raw.size() > kMaxRawBytes) return;
  const std::size_t charge = charge_of(*block);
  const Key key{partition, first};
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  if (shard.kept.too_large(charge) || shard.kept.contains(key)) return;
  shard.kept.insert(key, std::move(block), charge);
}

void DocumentBlockCache::drop_partition(std::uint64_t partition) {
  for (const auto& shard : shards_) {
    decltype(shard->kept)::Sweep sweep;
    const auto step = [&] {
      const MutexLock lock(shard->mutex);
      return shard->kept.sweep(sweep, [partition](const Key& key) { return key.partition == partition; });
    };
    while (step()) sweep.let_go();
  }
}

DocumentBlockCache::Counters DocumentBlockCache::counters() const {
  Counters sum;
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    sum.hits += shard->hits;
    sum.misses += shard->misses;
    sum.evictions += shard->kept.evictions();
    sum.bytes += shard->kept.bytes();
  }
  return sum;
}

}  // namespace frond::partition
