#include "leaf/lists/cached_list_store.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include "common/base/mutex.h"
#include "leaf/lists/list_cache.h"

namespace frond::leaf::lists {
namespace {

constexpr std::size_t kListAlignment = 64;

std::size_t padded(std::size_t segment_bytes) {
  return (segment_bytes + codec::kReadSlack + kListAlignment - 1) / kListAlignment * kListAlignment;
}

std::size_t segment_bytes(const List& list) {
  std::size_t bytes = 0;
  for (const auto& segment : list.postings.segments()) bytes += padded(segment.bytes().size());
  return bytes;
}

// Copies a list to host memory: all segments in one allocation, each on a 64-byte boundary and followed by at least
// codec::kReadSlack zero bytes, so that decoders may load whole vectors; and indexes it if `bytes` are more than that.
// Errors: kOverloaded if memory is short; those of List::intact(), asked after the bytes were copied.
Result<ListLease> copy_list(const List& list, std::size_t bytes) {
  auto copy = std::make_shared<List>();
  copy->key = list.key;
  copy->bytes = bytes;
  if (copy->bytes == 0) return ListLease(std::move(copy));
  const std::shared_ptr<std::byte> memory(
      static_cast<std::byte*>(std::aligned_alloc(kListAlignment, segment_bytes(list))), &std::free);
  if (!memory) return Error(Code::kOverloaded, "no memory for a list of " + std::to_string(copy->bytes) + " bytes");
  std::vector<ByteView> segments;
  segments.reserve(list.postings.segments().size());
  std::byte* to = memory.get();
  for (const auto& segment : list.postings.segments()) {
    const auto from = segment.bytes();
    std::copy(from.begin(), from.end(), to);
    std::fill(to + from.size(), to + padded(from.size()), std::byte{0});
    segments.emplace_back(to, from.size());
    to += padded(from.size());
  }
  FROND_TRY(list.intact());
  copy->postings = FROND_TRY(postings::PostingList::open(segments));
  copy->owners.push_back(memory);
  if (bytes > segment_bytes(list)) try {
      copy->buckets = BucketIndex::build(copy->postings);
    } catch (const std::bad_alloc&) {  // searches need no index
    }
  return ListLease(std::move(copy));
}

}  // namespace

struct CachedListStore::Shard {
  explicit Shard(std::size_t budget) : kept(budget) {}
  Mutex mutex;
  ListCache kept FROND_GUARDED_BY(mutex);
  std::unordered_set<ListKey, ListKeyHash> copying FROND_GUARDED_BY(mutex);  // by one request each
  std::uint64_t invalidations FROND_GUARDED_BY(mutex) = 0;                   // of any partition
  Counters counters FROND_GUARDED_BY(mutex);
};

CachedListStore::CachedListStore(ListStore& below, Options options) : below_(below), options_(options) {
  constexpr std::size_t kShardBytes = std::size_t{64} << 20;
  if (options_.shards == 0)
    options_.shards = static_cast<std::uint32_t>(std::clamp<std::size_t>(options_.budget_bytes / kShardBytes, 1, 16));
  for (std::uint32_t i = 0; i < options_.shards; ++i)
    shards_.push_back(std::make_unique<Shard>(options_.budget_bytes / options_.shards));
}

CachedListStore::~CachedListStore() = default;

CachedListStore::Shard& CachedListStore::shard_of(const ListKey& key) {
  // By high bits of the hash: tables inside a shard use the low ones.
  return *shards_[(ListKeyHash()(key) >> 40) % shards_.size()];
}

Result<std::vector<ListLease>> CachedListStore::fetch(std::span<const ListKey> keys, Deadline deadline) {
  struct Missing {
    std::size_t place;
    std::uint64_t invalidations;  // of its shard, before it is loaded
  };
  std::vector<ListLease> leases(keys.size());
  std::vector<Missing> missing;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Shard& shard = shard_of(keys[i]);
    const MutexLock lock(shard.mutex);
    leases[i] = std::static_pointer_cast<const List>(shard.kept.find(keys[i]));
    ++(leases[i] != nullptr ? shard.counters.hits : shard.counters.misses);
    if (leases[i] == nullptr) missing.push_back({i, shard.invalidations});
  }
  if (missing.empty()) return leases;
  std::vector<ListKey> wanted;
  wanted.reserve(missing.size());
  for (const Missing& one : missing) wanted.push_back(keys[one.place]);
  auto loaded = FROND_TRY(below_.fetch(wanted, deadline));
  for (std::size_t i = 0; i < missing.size(); ++i)
    leases[missing[i].place] = keep(wanted[i], std::move(loaded[i]), missing[i].invalidations);
  return leases;
}

ListLease CachedListStore::keep(const ListKey& key, ListLease lease, std::uint64_t invalidations) {
  Shard& shard = shard_of(key);
  const std::size_t copied = segment_bytes(*lease);
  std::size_t bytes = copied + BucketIndex::bytes_for(lease->postings);
  {
    const MutexLock lock(shard.mutex);
    if (!shard.kept.fits(key, bytes)) bytes = copied;                                         // without an index it may
    if (auto kept = std::static_pointer_cast<const List>(shard.kept.find(key))) return kept;  // by another request
    const bool admitted = shard.invalidations == invalidations && shard.kept.admits(key, bytes);
    if (!admitted || !shard.copying.insert(key).second) {
      ++shard.counters.passed_through;
      return lease;
    }
  }
  struct Copying {
    ~Copying() {
      const MutexLock lock(shard.mutex);
      shard.copying.erase(key);
    }
    Shard& shard;
    const ListKey& key;
  };
  const Copying until_returned{shard, key};
  // Outside the lock. If it fails, the lower store's lease is served.
  auto copy = copy_list(*lease, bytes);
  const MutexLock lock(shard.mutex);
  if (!copy || shard.invalidations != invalidations) {
    ++shard.counters.passed_through;
    return lease;
  }
  shard.kept.insert(key, *copy, bytes);
  return *copy;
}

void CachedListStore::invalidate(std::uint64_t partition) {
  for (const auto& shard : shards_) {
    {
      const MutexLock lock(shard->mutex);
      ++shard->invalidations;  // what is being copied is not inserted
    }
    ListCache::Sweep sweep;
    const auto step = [&] {
      const MutexLock lock(shard->mutex);
      return shard->kept.sweep(sweep, partition);
    };
    while (step()) sweep.let_go();
  }
}

CachedListStore::Counters CachedListStore::counters() const {
  Counters sum;
  sum.hits = used_again_.load(std::memory_order_relaxed);
  for (const auto& shard : shards_) {
    const MutexLock lock(shard->mutex);
    sum.hits += shard->counters.hits;
    sum.misses += shard->counters.misses;
    sum.passed_through += shard->counters.passed_through;
    sum.evictions += shard->kept.evictions();
    sum.bytes += shard->kept.bytes();
    sum.entries += shard->kept.entries();
  }
  return sum;
}

}  // namespace frond::leaf::lists
