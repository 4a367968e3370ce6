#pragma once
// Limits how many searches are evaluated at a time: all of them, lines of msearch requests, and costly ones; so neither
// batches nor costly searches can take all places. One object for all threads of the broker; thread-safe.
//
// Lines of msearch requests may wait for a place, in order of arrival. A free place goes to a waiting line first.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>

#include "common/base/mutex.h"

namespace frond::broker::http {

class Admission {
 public:
  struct Limits {
    std::size_t all = 512, batch = 128, costly = 16;
  };
  struct Kind {
    bool batch = false;   // a line of an msearch request
    bool costly = false;  // common/wire/cost.h
  };
  using Ticket = std::uint64_t;

  explicit Admission(Limits limits) : limits_(limits) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Takes a place if there is one. True: it was taken; give it back with end().
  bool try_begin(Kind kind);
  // None: a place was taken, as by try_begin(). Else waits for one: `begin` is called when it was taken, from inside
  // another search's end(), on that one's thread and without the lock.
  std::optional<Ticket> wait(Kind kind, std::function<void()> begin);
  // Stops waiting; does nothing if `begin` was called or is about to be.
  void leave(Ticket ticket);
  void end(Kind kind);

  const Limits& limits() const { return limits_; }
  // What is taken now.
  struct Taken {
    std::size_t all = 0, batch = 0, costly = 0, waiting = 0;
  };
  Taken taken() const;
  std::size_t all() const { return taken().all; }
  std::size_t batch() const { return taken().batch; }
  std::size_t costly() const { return taken().costly; }
  std::size_t waiting() const { return taken().waiting; }

 private:
  struct Waiting {
    Ticket ticket = 0;
    Kind kind;
    std::function<void()> begin;
  };
  bool has_room(Kind kind) const FROND_REQUIRES(mutex_);
  void take(Kind kind) FROND_REQUIRES(mutex_);
  void give();
  std::function<void()> next_to_begin();

  const Limits limits_;
  mutable Mutex mutex_;
  std::size_t all_ FROND_GUARDED_BY(mutex_) = 0, batch_ FROND_GUARDED_BY(mutex_) = 0,
                   costly_ FROND_GUARDED_BY(mutex_) = 0;
  std::list<Waiting> waiting_ FROND_GUARDED_BY(mutex_);  // at most one per request
  Ticket last_ FROND_GUARDED_BY(mutex_) = 0;
  bool giving_ FROND_GUARDED_BY(mutex_) = false;  // a thread is in give()
};

}  // namespace frond::broker::http
