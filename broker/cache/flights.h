#pragma once
// Equal queries in flight are evaluated together: a flight is one evaluation of a key, with everybody who waits for it.
//
// A flight has an end, by which its answer comes, whole or not. Whoever has less time than that does not board it but
// begins one that ends sooner, so that nobody gets less than a search of its own would have got. A whole answer is one
// for all flights of its key: those still under way are stopped. So are flights in which nobody is left.
//
// One thread: the broker's.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/cache/result_cache.h"
#include "common/base/deadline.h"

namespace frond::broker::cache {

class Flights {
 public:
  // May call back into this.
  using Waiter = std::function<void(const CachedAnswer&)>;
  struct Seat {
    std::uint64_t flight = 0, waiter = 0;
  };

  // A seat in the flight of `key` that ends last, of those that end from `earliest` to `latest`; none: there is no such
  // flight, and the caller may begin() one.
  std::optional<Seat> join(const std::string& key, Instant earliest, Instant latest, Waiter waiter);
  // The caller evaluates `key`: complete() is called once, by `end`, unless the flight is stopped before.
  Seat begin(const std::string& key, Instant end, Waiter waiter);
  // `stop` is called at most once, when nobody waits for the flight any more. Ignored if that is over.
  void set_stop(const std::string& key, std::uint64_t flight, std::function<void()> stop);
  // A waiter that will not wait longer (its client left, its deadline passed): it is not called any more.
  void leave(const std::string& key, const Seat& seat);
  // The flight is over: everybody in it gets `answer`; if that is whole, everybody who waits for `key` does.
  void complete(const std::string& key, std::uint64_t flight, const CachedAnswer& answer, bool whole);

  std::size_t in_flight() const { return flights_; }
  std::uint64_t joined() const { return joined_; }  // since start: searches that shared another's evaluation

 private:
  struct Flight {
    std::uint64_t number = 0;
    Instant end;
    std::vector<std::pair<std::uint64_t, Waiter>> waiters;
    std::function<void()> stop;
  };
  using ByKey = std::unordered_map<std::string, std::vector<Flight>>;  // a few each, and none empty
  Flight* find(const std::string& key, std::uint64_t flight);
  std::vector<Flight> take(ByKey::iterator key, std::optional<std::uint64_t> flight);

  ByKey by_key_;
  std::size_t flights_ = 0;
  std::uint64_t last_ = 0, joined_ = 0;
};

}  // namespace frond::broker::cache
