#pragma once
// Answers kept by what was asked, within a byte budget; and equal queries in flight evaluated once.
//
// The value is a whole answer, already rendered: a hit costs a look-up and a copy. Keys carry the generation, so a new
// generation's queries never see an old answer, which then ages out. Degraded or late answers are told to the waiters
// but never stored.
//
// Segmented LRU: a new answer starts on probation, and moves to the protected four fifths of the budget when it is
// asked for again; so a stream of queries that come once does not wash out those that come often.
//
// One thread: the broker's io thread owns it.
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace frond::broker {

// `Answer` is opaque to the cache; `bytes` is what it is charged for, beside the key and the entry.
struct CachedAnswer {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};

class ResultCache {
 public:
  struct Counters {
    std::uint64_t hits = 0, misses = 0, coalesced = 0, evictions = 0, stored = 0, too_large = 0;
    std::uint64_t bytes = 0, entries = 0, in_flight = 0;
  };
  using Waiter = std::function<void(const CachedAnswer&)>;

  // budget_bytes 0: nothing is stored; equal queries in flight still share one evaluation.
  explicit ResultCache(std::size_t budget_bytes) : budget_(budget_bytes) {}

  // The answer, if it is here; counts a hit. A null value: it is not.
  CachedAnswer find(const std::string& key);

  // After a miss: true makes the caller the evaluator of `key`, who must call complete() once, whatever happens. False:
  // an equal query is in flight, and `waiter` gets its answer. Returns the waiter's ticket in `ticket` (for leave()).
  bool begin(const std::string& key, Waiter waiter, std::uint64_t& ticket);
  // A waiter that will not wait longer (its client left, its deadline passed): it is not called any more. Harms no
  // other.
  void leave(const std::string& key, std::uint64_t ticket);
  // The evaluation of `key` is over: every waiter gets `answer`; it is kept if `store`. Waiters may call back into the
  // cache.
  void complete(const std::string& key, const CachedAnswer& answer, bool store);

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
  struct Flight {
    std::vector<std::pair<std::uint64_t, Waiter>> waiters;
  };
  void store(const std::string& key, CachedAnswer answer);
  void promote(Order::iterator entry);
  void evict_until_fits();

  std::size_t budget_;
  Order probation_, protected_;
  std::size_t protected_bytes_ = 0;
  std::unordered_map<std::string_view, Order::iterator> index_;  // keys live in the entries
  std::unordered_map<std::string, Flight> flights_;
  std::uint64_t next_ticket_ = 1;
  Counters counters_;
};

}  // namespace frond::broker
