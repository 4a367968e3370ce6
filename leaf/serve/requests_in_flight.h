#pragma once
// Searches and fetches without an answer yet, of all collections of a leaf: by peer and request id, so that a broker
// can cancel one, and all of a broker that has gone; and the memory that they hold, which is limited. A call costs
// O(log n), cancel_all() that for each request of the peer. Any thread.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"

namespace frond::leaf::serve {

class RequestsInFlight {
 public:
  class Entry;

 private:
  using Entries = std::multimap<std::pair<wire::Peer, std::uint64_t>, Entry*>;

 public:
  // Of all requests, some kilobytes each: a bound for peers that send far longer ones.
  static constexpr std::size_t kMaxBytes = 64u << 20;

  // One request. Removes itself from the registry when destroyed, with or without an answer; the registry outlives it.
  class Entry {
   public:
    Entry(RequestsInFlight& registry, const wire::Peer& peer, std::uint64_t number);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    const Cancellation& cancellation() const { return cancellation_; }
    // Counts the memory that the request holds from now on, in place of what it held before. kOverloaded: all of them
    // hold more than kMaxBytes, so refuse it. One thread at a time.
    Result<void> hold(std::size_t bytes);

   private:
    friend class RequestsInFlight;
    RequestsInFlight& registry_;
    std::size_t bytes_ = 0;
    Cancellation cancellation_;
    Entries::iterator place_;
  };

  // `gauge` has the number of entries.
  explicit RequestsInFlight(const metrics::Gauge& gauge = {}) : gauge_(gauge) {}

  // If the peer already has a request of this number in flight, cancel() applies to that one.
  std::shared_ptr<Entry> add(const wire::Peer& peer, std::uint64_t number) {
    return std::make_shared<Entry>(*this, peer, number);
  }
  // False: no such request is in flight.
  bool cancel(const wire::Peer& peer, std::uint64_t number);
  void cancel_all(const wire::Peer& peer);
  std::size_t size() const;
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  metrics::Gauge gauge_;
  mutable Mutex mutex_;
  Entries entries_ FROND_GUARDED_BY(mutex_);
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace frond::leaf::serve
