#include "leaf/serve/requests_in_flight.h"

#include <utility>

namespace frond::leaf::serve {

std::shared_ptr<const RequestsInFlight::Entry> RequestsInFlight::add(const wire::Peer& peer, std::uint64_t number) {
  const auto entry = std::make_shared<Entry>(*this, peer, number);
  const MutexLock lock(mutex_);
  if (entries_.size() < kMaxEntries) entries_.try_emplace(entry->key_, entry.get());
  return entry;
}

bool RequestsInFlight::cancel(const wire::Peer& peer, std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find({peer, number});
  if (found == entries_.end()) return false;
  found->second->cancellation_.cancel();  // the entry exists: its destructor needs this lock to remove it
  return true;
}

std::size_t RequestsInFlight::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

void RequestsInFlight::remove(const Entry& entry) {
  gauge_.add(-1);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(entry.key_);
  if (found != entries_.end() && found->second == &entry) entries_.erase(found);
}

}  // namespace frond::leaf::serve
