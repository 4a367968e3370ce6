#pragma once
// How many searches may be evaluated at a time: all together; of msearch requests; and costly ones. So neither batches
// nor the few that cost most can take everybody's place. Broker's thread only.
//
// Who may wait (the lines of an msearch) waits in order of arrival, and goes before whoever comes later and may not.
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
    bool batch = false;   // a line of an msearch
    bool costly = false;  // common/wire/cost.h
  };
  using Ticket = std::uint64_t;

  explicit Admission(Limits limits) : limits_(limits) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // True: a place was taken, to be given back by end().
  bool try_begin(Kind kind);
  // `begin` is called once a place was taken for it, from inside somebody's end() or leave().
  Ticket wait(Kind kind, std::function<void()> begin);
  // Waits no longer; harmless if it has begun.
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
  std::list<Waiting> waiting_;  // one a request that has lines left
  Ticket last_ = 0;
  bool giving_ = false;
};

}  // namespace frond::broker::http
