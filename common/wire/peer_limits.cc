#include "common/wire/peer_limits.h"

#include <algorithm>
#include <utility>

namespace frond::wire {
namespace {

std::string group_of(boost::asio::ip::address address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  if (address.is_v4()) return address.to_string();
  const auto bytes = address.to_v6().to_bytes();
  return {bytes.begin(), bytes.begin() + 8};
}

}  // namespace

PeerLimits::Admission PeerLimits::admit(const boost::asio::ip::address& address, Instant now) {
  const std::string group = group_of(address);
  const MutexLock lock(mutex_);
  const auto count_of = by_address_.find(group);
  const std::size_t count = count_of == by_address_.end() ? 0 : count_of->second;
  Admission admission;
  const Place* gives_way = nullptr;
  if (count >= max_by_address_) {
    gives_way = quietest(&group, now - kMinQuiet);
    admission.refusal = Refusal::kAddress;
    if (gives_way == nullptr) return admission;
  } else if (places_.size() >= max_peers_) {
    gives_way = quietest(nullptr, now - kMinQuiet);
    const auto most = std::max_element(by_address_.begin(), by_address_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (gives_way == nullptr && most != by_address_.end() && most->second > count + 1)
      gives_way = quietest(&most->first, Instant::max());
    admission.refusal = Refusal::kFull;
    if (gives_way == nullptr) return admission;
  }
  if (gives_way != nullptr) {
    admission.gives_way = gives_way->id;
    remove(*gives_way);
  }
  admission.place = std::make_shared<Place>(next_++, group, now);
  places_.emplace(admission.place->id, admission.place);
  ++by_address_[group];
  return admission;
}

const PeerLimits::Place* PeerLimits::quietest(const std::string* address, Instant before) const {
  const Place* found = nullptr;
  for (const auto& [id, place] : places_)
    if (place->heard() <= before && (address == nullptr || place->address == *address) &&
        (found == nullptr || place->heard() < found->heard()))
      found = place.get();
  return found;
}

void PeerLimits::remove(const Place& place) {
  const auto held = places_.extract(place.id);
  if (held.empty()) return;
  const auto count = by_address_.find(held.mapped()->address);
  if (--count->second == 0) by_address_.erase(count);
}

void PeerLimits::leave(const Place& place) {
  const MutexLock lock(mutex_);
  remove(place);
}

std::size_t PeerLimits::size() const {
  const MutexLock lock(mutex_);
  return places_.size();
}

}  // namespace frond::wire
