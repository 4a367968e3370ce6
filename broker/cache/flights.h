#pragma once
// Evaluates equal queries in flight together: a flight is one evaluation of a key, with the searches that wait for it.
// One object for all threads of the broker; thread-safe. Waiters and stops are called without its lock, on the thread
// that ends the flight: where a broker has several threads, they pass themselves on to their own (HomeThread).
//
// Each flight has an end: the latest time of its answer, whole or with unsearched partitions. A search with less time
// starts a flight of its own, and so does one with much more time than leaves have in the flight, so that no search
// gets much less than it would have got alone. A whole answer serves all flights of its key; the others are stopped. A
// flight is also stopped when no search waits for it any more.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/cache/result_cache.h"
#include "common/base/deadline.h"
#include "common/base/mutex.h"

namespace frond::broker::cache {

class Flights {
 public:
  // Called with the answer; may call this object.
  using Waiter = std::function<void(const CachedAnswer&)>;
  struct Seat {
    std::uint64_t flight = 0, waiter = 0;
  };

  // The latest times of an answer: if no leaf answers, and at all.
  struct End {
    Instant unanswered, any;
  };

  // Waits for the flight of `key` that ends last, of those that end by `latest`, and not before `earliest` because no
  // leaf answers. None: there is no such flight.
  std::optional<Seat> join(const std::string& key, Instant earliest, Instant latest, Waiter waiter);
  struct Entered {
    Seat seat;
    bool begun = false;
  };
  // join() if it finds a flight, else starts one that ends at `end`, in one step: of several threads that come with a
  // key at once only one begins a flight. Its caller evaluates `key` and calls complete() once, by then, unless the
  // flight is stopped.
  Entered enter(const std::string& key, Instant earliest, Instant latest, End end, Waiter waiter);
  // `stop` is called at most once, when the flight is stopped. False: the flight is over, and `stop` was dropped.
  bool set_stop(const std::string& key, std::uint64_t flight, std::function<void()> stop);
  // Removes a waiter (its client left, or its deadline has passed): it is not called, unless another thread is ending
  // the flight right now.
  void leave(const std::string& key, const Seat& seat);
  // Ends the flight and calls its waiters with `answer`; if that is whole, those of all flights of `key`.
  void complete(const std::string& key, std::uint64_t flight, const CachedAnswer& answer, bool whole);

  std::size_t in_flight() const;
  std::uint64_t joined() const;  // searches since start that shared another's evaluation

 private:
  struct Flight {
    std::uint64_t number = 0;
    End end;
    std::vector<std::pair<std::uint64_t, Waiter>> waiters;
    std::function<void()> stop;
  };
  using ByKey = std::unordered_map<std::string, std::vector<Flight>>;  // no vector is empty
  Flight* find(const std::string& key, std::uint64_t flight) FROND_REQUIRES(mutex_);
  Flight* best(const std::string& key, Instant earliest, Instant latest) FROND_REQUIRES(mutex_);
  Seat seat_in(Flight& flight, Waiter waiter) FROND_REQUIRES(mutex_);
  std::vector<Flight> take(ByKey::iterator key, std::optional<std::uint64_t> flight) FROND_REQUIRES(mutex_);

  mutable Mutex mutex_;
  ByKey by_key_ FROND_GUARDED_BY(mutex_);
  std::size_t flights_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_ FROND_GUARDED_BY(mutex_) = 0, joined_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::broker::cache
