#pragma once
// The clients that are connected, by address, and what is held for each; clients with keys, by these. Of an IPv6
// address only the first 64 bits count, since a client chooses the rest itself. Internal to this folder. Thread-safe.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list.hpp>

#include "common/base/mutex.h"
#include "common/http/message.h"
#include "common/net/client_address.h"

namespace frond::http {

// A limit on the bytes that a server holds for its clients, shared so that a client holds no more than is left for all
// others: one alone gets half of the budget, two get a third each, and there is always room for a client that holds
// little. Thread-safe.
//
// Asking and holding are two steps: of threads that ask at the same time each may be admitted, so that the limit may be
// exceeded by what one request or answer of each further thread holds.
class ByteBudget {
 public:
  static constexpr std::size_t kSmall = 64 << 10;  // a client may hold this much while there is room at all

  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

  // Whether a client that holds `held` bytes may hold `more`.
  bool has_room(std::size_t held, std::size_t more) const { return has_room_beside(used(), held, more); }
  // The same if `used` bytes were held in all.
  bool has_room_beside(std::size_t used, std::size_t held, std::size_t more) const {
    const std::size_t then = held + more, all = used + more;
    return all <= limit_ && (then <= kSmall || then <= limit_ - all);
  }
  void count_refusal() { refusals_.fetch_add(1, std::memory_order_relaxed); }
  // The same as has_room(). Counts what it refuses.
  bool admits(std::size_t held, std::size_t more) {
    const bool admitted = has_room(held, more);
    if (!admitted) count_refusal();
    return admitted;
  }

 private:
  friend class ReservedBytes;
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refusals_{0};
};

// Bytes counted in a budget, for a client and for a connection, if one is given; given back when destroyed. All must
// outlive it. One thread.
class ReservedBytes {
 public:
  ReservedBytes() = default;
  ReservedBytes(ByteBudget& budget, std::atomic<std::size_t>& of_client, std::size_t bytes,
                std::size_t* of_connection = nullptr)
      : budget_(&budget), of_client_(&of_client), of_connection_(of_connection) {
    grow(bytes);
  }
  ~ReservedBytes() {
    if (budget_ != nullptr) grow(-bytes_);  // modulo 2^64
  }
  ReservedBytes(ReservedBytes&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)),
        of_client_(other.of_client_),
        of_connection_(other.of_connection_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  ReservedBytes& operator=(ReservedBytes&& other) noexcept {
    ReservedBytes taken(std::move(other));
    std::swap(budget_, taken.budget_);
    std::swap(of_client_, taken.of_client_);
    std::swap(of_connection_, taken.of_connection_);
    std::swap(bytes_, taken.bytes_);
    return *this;
  }
  std::size_t bytes() const { return bytes_; }
  void grow(std::size_t more) {
    bytes_ += more;
    budget_->used_.fetch_add(more, std::memory_order_relaxed);
    of_client_->fetch_add(more, std::memory_order_relaxed);
    if (of_connection_ != nullptr) *of_connection_ += more;
  }

 private:
  ByteBudget* budget_ = nullptr;
  std::atomic<std::size_t>* of_client_ = nullptr;
  std::size_t* of_connection_ = nullptr;
  std::size_t bytes_ = 0;
};

class Session;

// A connection's place in at most one list.
class AgeLink : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit AgeLink(Session* session) : session_(session) {}
  AgeLink(const AgeLink&) = delete;
  AgeLink& operator=(const AgeLink&) = delete;

  bool listed() const { return is_linked(); }
  Time since() const { return since_; }
  void leave() { unlink(); }

 private:
  friend class AgeList;
  Session* session_;
  Time since_{};
};

// Connections in order of entry, the one that entered first at the front. Entering, leaving and finding the first take
// constant time. One thread.
class AgeList {
 public:
  bool empty() const { return links_.empty(); }
  // Puts the link at the end, out of the list it was in. `now` never decreases.
  void enter(AgeLink& link, AgeLink::Time now) {
    link.leave();
    link.since_ = now;
    links_.push_back(link);
  }
  // The first, if it has been there for `age`; else null.
  Session* oldest(AgeLink::Time now, AgeLink::Time::duration age = {}) const {
    return !empty() && now - links_.front().since_ >= age ? links_.front().session_ : nullptr;
  }
  // Visits all, oldest first. `visit` may remove the one that it is given, but no other.
  template <class Visit>
  void for_each(Visit visit) const {
    for (auto next = links_.begin(); next != links_.end();) visit((next++)->session_);
  }

 private:
  boost::intrusive::list<AgeLink, boost::intrusive::constant_time_size<false>> links_;
};

struct ClientState {
  explicit ClientState(std::size_t servers) : waiting(std::make_unique<AgeList[]>(servers)) {}

  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> body_bytes{0};    // of requests that are received, or not answered yet
  std::atomic<std::size_t> unsent_bytes{0};  // of answers that it has not taken
  // Under RequestRoom's mutex: requests that wait for room, the bytes that they hold, and in which look none got any.
  std::size_t waiting_bodies = 0, waiting_bytes = 0;
  std::uint64_t passed_over = 0;
  std::size_t users = 0;  // connections, and requests that are counted; under Clients' mutex
  // Its connections that wait for it to send something: a list for each server, which only that server's thread uses.
  const std::unique_ptr<AgeList[]> waiting;
};

class Clients {
 public:
  using Key = ClientAddress;
  using Entry = std::pair<const Key, ClientState>;

  // `servers`: how many share the clients.
  explicit Clients(std::size_t servers = 1) : servers_(servers) {}

  // Counts a connection. The entry is valid until all that use it have left.
  Entry& enter(const boost::asio::ip::address& address);
  // To be called once nothing is held for the connection any more.
  void leave(Entry& entry);
  // The same of what is not a connection, for a client with a key or without.
  Entry& use(const ClientId& client);
  void end_use(Entry& entry);
  std::size_t size() const;
  // Connections of the address that has the most. Takes time in proportion to the number of addresses.
  std::size_t most_connections() const;

 private:
  const std::size_t servers_;
  mutable Mutex mutex_;
  // At most one for each connection.
  std::unordered_map<Key, ClientState, net::AddressHash> clients_ FROND_GUARDED_BY(mutex_);
};

// Room for the bytes of requests, shared as in ByteBudget, and the queue of requests that wait for it. Thread-safe; a
// request's own calls come one after the other.
//
// A client's requests get room in the order in which they came, but those that hold some first: others may wait for it.
class RequestRoom : public ByteBudget {
 public:
  static constexpr std::size_t kMaxWaiting = 64;  // requests of a client

  using ByteBudget::ByteBudget;
  struct Request {
    ClientState& client;
    ReservedBytes held;           // in this room
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
  // Gives back all but so many bytes of a request that does not wait.
  void keep(Request& request, std::size_t bytes);
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
