#pragma once
// Searches and fetches that were taken and not answered yet, by who asked and under which number: so that a broker can
// give one up. All calls cost O(1) and come from any thread.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/wire/router_socket.h"

namespace frond::leaf::serve {

class RequestsInFlight {
 public:
  // Past so many a request is served, but can't be given up. A leaf's queues hold far fewer.
  static constexpr std::size_t kMaxEntries = 1 << 16;

  // A request; leaves the registry, which outlives it, when it ends.
  class Entry {
   public:
    Entry(RequestsInFlight& registry, wire::Peer peer, std::uint64_t number)
        : registry_(registry), key_{std::move(peer), number} {}
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

  // Where the peer has another request of this number in flight, that one is what it can give up.
  std::shared_ptr<const Entry> add(const wire::Peer& peer, std::uint64_t number);
  // False: there is no such request (any more).
  bool cancel(const wire::Peer& peer, std::uint64_t number);
  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Entry::Key& key) const {
      return std::hash<std::string>()(key.peer) ^ (key.number * 0x9e3779b97f4a7c15);
    }
  };
  void remove(const Entry& entry);

  mutable Mutex mutex_;
  std::unordered_map<Entry::Key, Entry*, Hash> entries_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::serve
