#pragma once
// How many connections a leaf's socket accepts, in total and from one address (net::client_address()), which one gives
// way to a new one, and which ones when all hold too much memory. Thread-safe.
//
// A connection is quiet until its first valid request, and while its peer answers no heartbeat: a broker that says
// hello seldom is not. At a limit the quietest connection gives way, once it has been quiet for kMinQuiet: of the same
// address, or at the limit in total of any. If the total is full of connections that are not quiet, the address with
// the most gives one up to an address with fewer. If there is none of these, the one that has asked for nothing for the
// longest time gives way, once that is kMinQuiet: whoever answers heartbeats and no more keeps nobody out. Otherwise
// the new connection is refused.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/net/client_address.h"

namespace frond::wire {

class PeerLimits {
 public:
  static constexpr std::chrono::milliseconds kMinQuiet{3000};

  // A connection that was accepted.
  struct Place {
    Place(std::uint64_t number, const net::ClientAddress& client, Instant now)
        : id(number), address(client), heard_(now.time_since_epoch().count()), asked_(now.time_since_epoch().count()) {}
    const std::uint64_t id;  // counts from 1
    const net::ClientAddress address;
    // When it last sent a valid request or, having sent one, anything; before, when it was accepted. Any thread.
    Instant heard() const { return Instant(Instant::duration(heard_.load(std::memory_order_relaxed))); }
    void hear(Instant now) { heard_.store(now.time_since_epoch().count(), std::memory_order_relaxed); }
    // When it last sent a valid request; before, when it was accepted. Any thread.
    Instant asked() const { return Instant(Instant::duration(asked_.load(std::memory_order_relaxed))); }
    void ask(Instant now) {
      asked_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
      hear(now);
    }

   private:
    friend class PeerLimits;
    std::atomic<Instant::rep> heard_, asked_;
    std::atomic<std::size_t> held_{0};
  };
  enum class Refusal { kFull, kAddress };
  struct Admission {
    std::shared_ptr<Place> place;            // null: refused
    Refusal refusal{};                       // if so, why
    std::optional<std::uint64_t> gives_way;  // the connection to close; it has left already
  };

  PeerLimits(std::size_t max_peers, std::size_t max_by_address)
      : max_peers_(max_peers), max_by_address_(max_by_address) {}
  Admission admit(const boost::asio::ip::address& address, Instant now);
  void leave(const Place& place);
  std::size_t size() const;

  // Counts the memory that a connection holds from now on, in place of what it held before. Returns that of all.
  std::size_t hold(Place& place, std::size_t bytes);
  // The connections to close so that all together hold at most `max` bytes: each time the largest of the address that
  // holds the most. They have left already.
  std::vector<std::uint64_t> shed(std::size_t max);

 private:
  using Places = std::map<std::uint64_t, std::shared_ptr<Place>>;
  void remove(const Place& place) FROND_REQUIRES(mutex_);
  // The one for which `since` (heard or asked) is the earliest, and at the latest `before`: of `address` or, if that is
  // null, of all.
  const Place* earliest(Instant (Place::*since)() const, const net::ClientAddress* address, Instant before) const
      FROND_REQUIRES(mutex_);

  const std::size_t max_peers_, max_by_address_;
  std::atomic<std::size_t> held_{0};
  mutable Mutex mutex_;
  Places places_ FROND_GUARDED_BY(mutex_);
  std::map<net::ClientAddress, std::size_t> by_address_ FROND_GUARDED_BY(mutex_);
  std::uint64_t next_ FROND_GUARDED_BY(mutex_) = 1;
};

}  // namespace frond::wire
