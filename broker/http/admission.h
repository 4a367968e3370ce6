#pragma once
// Limits how many searches are evaluated at a time: all of them, lines of msearch requests, and costly ones; so neither
// batches nor costly searches can take all places. Broker's thread only.
//
// Lines of msearch requests may wait for a place, in order of arrival. A free place goes to a waiting line first.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>

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
  // Waits for a place. `begin` is called when one was taken for it, from inside another search's end().
  Ticket wait(Kind kind, std::function<void()> begin);
  // Stops waiting; does nothing if `begin` was called.
  void leave(Ticket ticket);
  void end(Kind kind);

  const Limits& limits() const { return limits_; }
  std::size_t all() const { return all_; }
  std::size_t batch() const { return batch_; }
  std::size_t costly() const { return costly_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    Ticket ticket = 0;
    Kind kind;
    std::function<void()> begin;
  };
  bool has_room(Kind kind) const;
  void take(Kind kind);
  void give();

  const Limits limits_;
  std::size_t all_ = 0, batch_ = 0, costly_ = 0;
  std::list<Waiting> waiting_;  // at most one per request
  Ticket last_ = 0;
  bool giving_ = false;
};

}  // namespace frond::broker::http
