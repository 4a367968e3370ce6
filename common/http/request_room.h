#pragma once
// Room for the bytes of requests, shared as in ByteBudget, and the queue of requests that wait for it. Internal to this
// folder. Thread-safe; a request's own calls come one after the other.
//
// A client's requests get room in the order in which they came, but those that hold some first: others may wait for it.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "common/base/mutex.h"
#include "common/http/byte_budget.h"
#include "common/http/clients.h"

namespace frond::http {

class RequestRoom : public ByteBudget {
 public:
  static constexpr std::size_t kMaxWaiting = 64;  // requests of a client

  using ByteBudget::ByteBudget;
  struct Request {
    ClientState& client;
    HeldBytes held;               // in this room
    std::function<void()> begin;  // called once a request that waited has its room, on any thread and without the lock
    std::size_t wanted = 0;       // in all, while it waits; else 0
    std::list<Request*>::iterator place{};  // … in the queue
  };
  // kRefused: too many of the client wait, or there is never room: the client's share is too small, or requests that
  // hold some wait for each other.
  enum class Outcome { kTaken, kWaits, kRefused };
  // Takes so many bytes in all. If it must wait, it is to be called again when it has begun.
  Outcome take(Request& request, std::size_t bytes);
  bool waits(const Request& request) const;
  // All of it; the request waits no more.
  void give_back(Request& request);

 private:
  bool may_take(const Request& request, std::size_t bytes) const;
  void enter(Request& request, std::size_t bytes) FROND_REQUIRES(mutex_);
  void leave(Request& request) FROND_REQUIRES(mutex_);
  std::vector<std::function<void()>> let_in() FROND_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::list<Request*> waiting_ FROND_GUARDED_BY(mutex_);   // those that hold some, then the others
  std::size_t held_waiting_ FROND_GUARDED_BY(mutex_) = 0;  // bytes that they hold
  std::uint64_t looks_ FROND_GUARDED_BY(mutex_) = 0;       // at the queue
};

}  // namespace frond::http
