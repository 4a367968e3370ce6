#include "broker/cache/flights.h"

#include <algorithm>
#include <iterator>

namespace frond::broker::cache {

Flights::Flight* Flights::best(const std::string& key, Instant earliest, Instant latest) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  Flight* best = nullptr;
  for (Flight& flight : found->second)
    if (flight.end.unanswered >= earliest && flight.end.any <= latest &&
        (best == nullptr || flight.end.any > best->end.any))
      best = &flight;
  return best;
}

Flights::Seat Flights::seat_in(Flight& flight, Waiter waiter) {
  ++joined_;
  flight.waiters.emplace_back(++last_, std::move(waiter));
  return {flight.number, last_};
}

std::optional<Flights::Seat> Flights::join(const std::string& key, Instant earliest, Instant latest, Waiter waiter) {
  const MutexLock lock(mutex_);
  Flight* const flight = best(key, earliest, latest);
  if (flight == nullptr) return {};
  return seat_in(*flight, std::move(waiter));
}

Flights::Entered Flights::enter(const std::string& key, Instant earliest, Instant latest, End end, Waiter waiter) {
  const MutexLock lock(mutex_);
  if (Flight* const flight = best(key, earliest, latest)) return {seat_in(*flight, std::move(waiter)), false};
  Flight& flight = by_key_[key].emplace_back();
  flight.number = ++last_;
  flight.end = end;
  flight.waiters.emplace_back(++last_, std::move(waiter));
  ++flights_;
  return {{flight.number, last_}, true};
}

bool Flights::set_stop(const std::string& key, std::uint64_t flight, std::function<void()> stop) {
  const MutexLock lock(mutex_);
  Flight* const found = find(key, flight);
  if (found != nullptr) found->stop = std::move(stop);
  return found != nullptr;
}

void Flights::leave(const std::string& key, const Seat& seat) {
  Waiter left;  // destroyed without the lock, as what it refers to may use this object
  std::vector<Flight> empty;
  {
    const MutexLock lock(mutex_);
    Flight* const flight = find(key, seat.flight);
    if (flight == nullptr) return;
    const auto at = std::find_if(flight->waiters.begin(), flight->waiters.end(),
                                 [&](const auto& waiter) { return waiter.first == seat.waiter; });
    if (at == flight->waiters.end()) return;
    left = std::move(at->second);
    flight->waiters.erase(at);
    if (flight->waiters.empty()) empty = take(by_key_.find(key), seat.flight);
  }
  for (const Flight& flight : empty)
    if (flight.stop) flight.stop();
}

void Flights::complete(const std::string& key, std::uint64_t flight, const CachedAnswer& answer, bool whole) {
  std::vector<Flight> over;
  {
    const MutexLock lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    over = take(found, whole ? std::optional<std::uint64_t>() : flight);
  }
  for (const Flight& one : over)
    if (one.number != flight && one.stop) one.stop();
  for (const Flight& one : over)
    for (const auto& [number, waiter] : one.waiters) waiter(answer);
}

std::size_t Flights::in_flight() const {
  const MutexLock lock(mutex_);
  return flights_;
}

std::uint64_t Flights::joined() const {
  const MutexLock lock(mutex_);
  return joined_;
}

Flights::Flight* Flights::find(const std::string& key, std::uint64_t flight) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  const auto at =
      std::find_if(found->second.begin(), found->second.end(), [&](const Flight& one) { return one.number == flight; });
  return at == found->second.end() ? nullptr : &*at;
}

// Removes one flight of a key, or all; the caller then calls their waiters, who may use this object.
std::vector<Flights::Flight> Flights::take(ByKey::iterator key, std::optional<std::uint64_t> flight) {
  auto& flights = key->second;
  const auto others = std::stable_partition(flights.begin(), flights.end(),
                                            [&](const Flight& one) { return flight && one.number != *flight; });
  std::vector<Flight> taken(std::make_move_iterator(others), std::make_move_iterator(flights.end()));
  flights.erase(others, flights.end());
  if (flights.empty()) by_key_.erase(key);
  flights_ -= taken.size();
  return taken;
}

}  // namespace frond::broker::cache
