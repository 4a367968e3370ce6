#pragma once
// Cache of rendered answers by query, within a budget in bytes. Broker's thread only.
//
// A hit costs a look-up and a copy of the answer. Keys contain the generation, so that queries of a new generation
// never get an old answer; old answers are evicted in time. Only answers without unsearched partitions are stored.
//
// Segmented LRU: a new answer starts on probation, and moves to the protected four fifths of the budget at its first
// hit; so queries that come only once do not evict those that come often.
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace frond::broker::cache {

// `value` is opaque to the cache. `bytes` is its size; the cache adds those of the key and the entry.
struct CachedAnswer {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};

class ResultCache {
 public:
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0, stored = 0, too_large = 0;
    std::uint64_t bytes = 0, entries = 0;
  };

  // budget_bytes 0: nothing is stored.
  explicit ResultCache(std::size_t budget_bytes) : budget_(budget_bytes) {}

  // The answer, and counts a hit or a miss; a null value: a miss.
  CachedAnswer find(const std::string& key);
  void store(const std::string& key, CachedAnswer answer);

  const Counters& counters() const { return counters_; }
  std::size_t budget() const { return budget_; }

 private:
  struct Entry {
    std::string key;
    CachedAnswer answer;
    std::size_t charge = 0;
    bool is_protected = false;
  };
  using Order = std::list<Entry>;  // most recently used first
  void promote(Order::iterator entry);
  void evict_until_fits();

  std::size_t budget_;
  Order probation_, protected_;
  std::size_t protected_bytes_ = 0;
  std::unordered_map<std::string_view, Order::iterator> index_;  // keys live in the entries
  Counters counters_;
};

}  // namespace frond::broker::cache
