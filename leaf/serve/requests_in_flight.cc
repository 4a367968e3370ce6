#include "leaf/serve/requests_in_flight.h"

namespace frond::leaf::serve {

RequestsInFlight::Entry::Entry(RequestsInFlight& registry, const wire::Peer& peer, std::uint64_t number)
    : registry_(registry) {
  {
    const MutexLock lock(registry_.mutex_);
    place_ = registry_.entries_.emplace(std::pair(peer, number), this);
  }
  registry_.gauge_.add(1);
}

RequestsInFlight::Entry::~Entry() {
  registry_.gauge_.add(-1);
  registry_.bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
  const MutexLock lock(registry_.mutex_);
  registry_.entries_.erase(place_);
}

Result<void> RequestsInFlight::Entry::hold(std::size_t bytes) {
  const std::size_t more = bytes - std::exchange(bytes_, bytes);  // modulo 2^64, as is the sum
  if (registry_.bytes_.fetch_add(more, std::memory_order_relaxed) + more <= kMaxBytes) return {};
  return Error(Code::kOverloaded, "the requests in flight hold too much memory");
}

// Entries exist while they are in the map: their destructor needs the lock to remove them.
bool RequestsInFlight::cancel(const wire::Peer& peer, std::uint64_t number) {
  const std::pair key(peer, number);
  const MutexLock lock(mutex_);
  const auto first = entries_.lower_bound(key);
  if (first == entries_.end() || first->first != key) return false;
  first->second->cancellation_.cancel();
  return true;
}

void RequestsInFlight::cancel_all(const wire::Peer& peer) {
  const MutexLock lock(mutex_);
  for (auto one = entries_.lower_bound({peer, 0}); one != entries_.end() && one->first.first == peer; ++one)
    one->second->cancellation_.cancel();
}

std::size_t RequestsInFlight::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace frond::leaf::serve
