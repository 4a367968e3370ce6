#pragma once
// A cache of document frequencies in fixed memory: a look-up in the sorted file reads and checks a block, which costs
// more than evaluating many queries does. Set-associative, with kWays entries a set; the newest ones stay. Any thread.
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/mutex.h"

namespace frond::partition {

class DfCache {
 public:
  static constexpr std::size_t kEntries = 1u << 15;  // 1.5 MiB
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kMaxTermBytes = 38;  // longer terms, which are rare in queries, are not kept

  std::optional<std::uint64_t> find(std::string_view term) const {
    const std::size_t place = place_of(term);
    const Shard& shard = shards_[place % kShards];
    const MutexLock lock(shard.mutex);
    if (shard.sets.empty()) return std::nullopt;
    for (const Entry& entry : shard.sets[place / kShards])
      if (entry.df != 0 && entry.term() == term) return entry.df;
    return std::nullopt;
  }
  // df is at least 1.
  void put(std::string_view term, std::uint64_t df) {
    if (term.size() > kMaxTermBytes) return;
    const std::size_t place = place_of(term);
    Shard& shard = shards_[place % kShards];
    const MutexLock lock(shard.mutex);
    if (shard.sets.empty()) shard.sets.resize(kEntries / kWays / kShards);
    Set& set = shard.sets[place / kShards];
    std::move_backward(set.begin(), set.end() - 1, set.end());
    Entry& entry = set[0];
    entry.df = df;
    entry.size = static_cast<std::uint8_t>(term.size());
    std::memcpy(entry.bytes, term.data(), term.size());
  }

 private:
  static constexpr std::size_t kShards = 64;
  struct Entry {
    std::string_view term() const { return {bytes, size}; }
    std::uint64_t df = 0;  // 0: free
    std::uint8_t size = 0;
    char bytes[kMaxTermBytes] = {};
  };
  using Set = std::array<Entry, kWays>;  // the newest first
  struct alignas(64) Shard {
    mutable Mutex mutex;
    std::vector<Set> sets FROND_GUARDED_BY(mutex);  // empty until something is put
  };
  static std::size_t place_of(std::string_view term) {
    return std::hash<std::string_view>()(term) % (kEntries / kWays);
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace frond::partition
