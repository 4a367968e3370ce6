#include "broker/cache/flights.h"

#include <algorithm>
#include <iterator>

namespace frond::broker::cache {

std::optional<Flights::Seat> Flights::join(const std::string& key, Instant earliest, Instant latest, Waiter waiter) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  Flight* best = nullptr;
  for (Flight& flight : found->second)
    if (flight.end >= earliest && flight.end <= latest && (best == nullptr || flight.end > best->end)) best = &flight;
  if (best == nullptr) return {};
  ++joined_;
  best->waiters.emplace_back(++last_, std::move(waiter));
  return Seat{best->number, last_};
}

Flights::Seat Flights::begin(const std::string& key, Instant end, Waiter waiter) {
  Flight& flight = by_key_[key].emplace_back();
  flight.number = ++last_;
  flight.end = end;
  flight.waiters.emplace_back(++last_, std::move(waiter));
  ++flights_;
  return {flight.number, last_};
}

void Flights::set_stop(const std::string& key, std::uint64_t flight, std::function<void()> stop) {
  if (Flight* const found = find(key, flight)) found->stop = std::move(stop);
}

void Flights::leave(const std::string& key, const Seat& seat) {
  Flight* const flight = find(key, seat.flight);
  if (flight == nullptr) return;
  std::erase_if(flight->waiters, [&](const auto& waiter) { return waiter.first == seat.waiter; });
  if (!flight->waiters.empty()) return;
  for (const Flight& empty : take(by_key_.find(key), seat.flight))
    if (empty.stop) empty.stop();
}

void Flights::complete(const std::string& key, std::uint64_t flight, const CachedAnswer& answer, bool whole) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  const auto over = take(found, whole ? std::optional<std::uint64_t>() : flight);
  for (const Flight& one : over)
    if (one.number != flight && one.stop) one.stop();
  for (const Flight& one : over)
    for (const auto& [number, waiter] : one.waiters) waiter(answer);
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
