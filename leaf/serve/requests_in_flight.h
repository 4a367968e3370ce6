#pragma once
// Searches and fetches without an answer yet, by peer and request id, so that a broker can cancel one. All calls cost
// O(1) and may come from any thread.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "common/wire/router_socket.h"

namespace frond::leaf::serve {

class RequestsInFlight {
 public:
  // Requests beyond this number are served, but cannot be cancelled. A leaf's queues hold far fewer.
  static constexpr std::size_t kMaxEntries = 1 << 16;

  // One request. Removes itself from the registry when destroyed, with or without an answer; the registry outlives it.
  class Entry {
   public:
    Entry(RequestsInFlight& registry, wire::Peer peer, std::uint64_t number)
        : registry_(registry), key_{std::move(peer), number} {
      registry_.gauge_.add(1);
    }
    ~Entry() { registry_.remove(*this); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    const Cancellation& cancellation() const { return cancellation_; }

   private:
    friend class RequestsInFlight;
    RequestsInFlight& registry_;
    const struct Key {
      wire::Peer peer;
      std::uint64_t number = 0;
      friend bool operator==(const Key&, const Key&) = default;
    } key_;
    Cancellation cancellation_;
  };

  // `gauge` has the number of entries, also beyond kMaxEntries.
  explicit RequestsInFlight(const metrics::Gauge& gauge = {}) : gauge_(gauge) {}

  // If the peer already has a request of this number in flight, cancel() applies to that one.
  std::shared_ptr<const Entry> add(const wire::Peer& peer, std::uint64_t number);
  // False: no such request is in flight.
  bool cancel(const wire::Peer& peer, std::uint64_t number);
  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Entry::Key& key) const {
      return std::hash<std::string>()(key.peer) ^ (key.number * 0x9e3779b97f4a7c15);
    }
  };
  void remove(const Entry& entry);

  metrics::Gauge gauge_;
  mutable Mutex mutex_;
  std::unordered_map<Entry::Key, Entry*, Hash> entries_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::serve
