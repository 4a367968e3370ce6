#include "common/wire/peer_limits.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace frond::wire {

PeerLimits::Admission PeerLimits::admit(const boost::asio::ip::address& address, Instant now) {
  const net::ClientAddress group = net::client_address(address);
  const MutexLock lock(mutex_);
  const auto count_of = by_address_.find(group);
  const std::size_t count = count_of == by_address_.end() ? 0 : count_of->second;
  Admission admission;
  const Place* gives_way = nullptr;
  const Instant before = now - kMinQuiet;
  if (count >= max_by_address_) {
    gives_way = earliest(&Place::heard, &group, before);
    if (gives_way == nullptr) gives_way = earliest(&Place::asked, &group, before);
    admission.refusal = Refusal::kAddress;
    if (gives_way == nullptr) return admission;
  } else if (places_.size() >= max_peers_) {
    gives_way = earliest(&Place::heard, nullptr, before);
    const auto most = std::max_element(by_address_.begin(), by_address_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (gives_way == nullptr && most != by_address_.end() && most->second > count + 1)
      gives_way = earliest(&Place::heard, &most->first, Instant::max());
    if (gives_way == nullptr) gives_way = earliest(&Place::asked, nullptr, before);
    admission.refusal = Refusal::kFull;
    if (gives_way == nullptr) return admission;
  }
  // Whatever throws for want of memory comes before the first change, but for an address of no places.
  admission.place = std::make_shared<Place>(next_, group, now);
  std::size_t& places_of_address = by_address_[group];
  places_.emplace(next_, admission.place);
  ++places_of_address;
  ++next_;
  if (gives_way != nullptr) {
    admission.gives_way = gives_way->id;
    remove(*gives_way);
  }
  return admission;
}

const PeerLimits::Place* PeerLimits::earliest(Instant (Place::*since)() const, const net::ClientAddress* address,
                                              Instant before) const {
  const Place* found = nullptr;
  for (const auto& [id, place] : places_)
    if ((*place.*since)() <= before && (address == nullptr || place->address == *address) &&
        (found == nullptr || (*place.*since)() < (found->*since)()))
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

std::size_t PeerLimits::hold(Place& place, std::size_t bytes) {
  const std::size_t more =
      bytes - place.held_.exchange(bytes, std::memory_order_relaxed);  // modulo 2^64, as is the sum
  return held_.fetch_add(more, std::memory_order_relaxed) + more;
}

std::vector<std::uint64_t> PeerLimits::shed(std::size_t max) {
  using Holder = std::pair<std::size_t, std::shared_ptr<Place>>;
  struct Group {
    std::size_t held = 0;
    std::vector<Holder> holders;  // the largest last
  };
  const MutexLock lock(mutex_);
  std::map<net::ClientAddress, Group> groups;
  for (const auto& [id, place] : places_) {
    const std::size_t held = place->held_.load(std::memory_order_relaxed);
    Group& group = groups[place->address];
    group.held += held;
    if (held > 0) group.holders.emplace_back(held, place);
  }
  std::priority_queue<std::pair<std::size_t, Group*>> most;
  for (auto& [address, group] : groups) {
    std::sort(group.holders.begin(), group.holders.end());
    most.emplace(group.held, &group);
  }
  std::vector<std::uint64_t> shed;
  while (held_.load(std::memory_order_relaxed) > max && !most.empty()) {
    Group& group = *most.top().second;
    most.pop();
    if (group.holders.empty()) continue;
    const auto [held, place] = std::move(group.holders.back());
    group.holders.pop_back();
    most.emplace(group.held -= held, &group);
    shed.push_back(place->id);
    hold(*place, 0);
    remove(*place);
  }
  return shed;
}

std::size_t PeerLimits::size() const {
  const MutexLock lock(mutex_);
  return places_.size();
}

}  // namespace frond::wire
