#pragma once
// Segmented LRUs (segmented_lru.h) behind locks, for what threads share: in shards with a lock each, and counted. Any
// thread.
//
// The caller says what an entry is charged, in bytes, with all that it allocates.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/cache/segmented_lru.h"

namespace frond::cache {

struct Counters {
  std::uint64_t hits = 0, misses = 0;
  std::uint64_t evictions = 0;  // dropped to make room
  std::uint64_t bytes = 0;      // charged now
};

// Value is a pointer that shares: what is evicted lives on with whoever has it. Hash: its high bits choose the shard.
template <class Key, class Value, class Hash = std::hash<Key>>
class SharedCache {
 public:
  using Counters = cache::Counters;

  // An entry charged more than a shard's budget / max_share is not kept. 0 bytes: nothing is.
  SharedCache(std::size_t budget_bytes, std::size_t max_share, std::size_t shards = 1)
      : budget_(budget_bytes), max_charge_(budget_bytes / shards / max_share) {
    while (shards_.size() < shards) shards_.push_back(std::make_unique<Shard>(budget_bytes / shards, max_share));
  }

  // Null: it is not there. Counts a hit, or a miss.
  Value find(const Key& key, bool counts_misses = true) {
    Shard& shard = shard_of(key);
    const MutexLock lock(shard.mutex);
    const Value* const found = shard.kept.find(key);
    if (found != nullptr)
      ++shard.hits;
    else
      shard.misses += counts_misses;
    return found != nullptr ? *found : Value();
  }
  bool too_large(std::size_t charge) const { return charge > max_charge_; }
  // Keeps the entry, unless it is too large. Gives what is there for the key: another's, if it came first.
  Value insert(const Key& key, Value value, std::size_t charge) {
    Shard& shard = shard_of(key);
    const MutexLock lock(shard.mutex);
    if (const Value* const found = shard.kept.find(key)) return *found;
    if (!too_large(charge)) shard.kept.insert(key, value, charge);
    return value;
  }
  // Takes out the entries whose key satisfies the predicate; no lock is held for long.
  template <class Predicate>
  void remove_if(const Predicate& takes) {
    for (const auto& shard : shards_) {
      typename Kept::Sweep sweep;
      const auto step = [&] {
        const MutexLock lock(shard->mutex);
        return shard->kept.sweep(sweep, takes);
      };
      while (step()) sweep.let_go();
    }
  }
  // Calls visit(key, value) for each entry, under its shard's lock.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& shard : shards_) {
      const MutexLock lock(shard->mutex);
      shard->kept.for_each(visit);
    }
  }

  Counters counters() const {
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
  std::size_t budget_bytes() const { return budget_; }
  static constexpr std::size_t entry_bytes() { return Kept::entry_bytes(); }

 private:
  using Kept = SegmentedLru<Key, Value, Hash>;
  struct Shard {
    Shard(std::size_t budget, std::size_t max_share) : kept(budget, max_share) {}
    mutable Mutex mutex;
    Kept kept FROND_GUARDED_BY(mutex);
    std::uint64_t hits FROND_GUARDED_BY(mutex) = 0, misses FROND_GUARDED_BY(mutex) = 0;
  };
  // By high bits of the hash: the index inside a shard uses the low ones.
  Shard& shard_of(const Key& key) const {
    return *shards_[shards_.size() == 1 ? 0 : (Hash()(key) >> 40) % shards_.size()];
  }

  const std::size_t budget_, max_charge_;
  std::vector<std::unique_ptr<Shard>> shards_;  // all of one size
};

}  // namespace frond::cache
