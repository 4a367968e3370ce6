#include "common/keys/meter.h"

#include <algorithm>
#include <chrono>

#include "common/net/client_address.h"

namespace frond::keys {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kMaxDebt{3600};

nanoseconds time_of(double requests, double rate) {
  const double longest = std::chrono::duration<double, std::nano>(kMaxDebt).count();
  return nanoseconds(static_cast<std::int64_t>(std::min(requests * 1e9 / rate, longest)));
}

}  // namespace

Verdict Account::enter(const Limits& limits, Instant now) {
  if (limits.in_flight > 0 && in_flight_ >= limits.in_flight) return {Verdict::Kind::kTooMany};
  if (limits.rate > 0) {
    const nanoseconds step = time_of(1, limits.rate);
    const auto paid = std::max(paid_until_, now) + step;
    // A second's worth may come at once, and one request at least.
    const auto early = paid - now - std::max<nanoseconds>(seconds(1), step);
    if (early > nanoseconds(0)) return {Verdict::Kind::kTooFast, std::chrono::ceil<seconds>(early).count()};
    paid_until_ = paid;
  }
  ++in_flight_;
  return {};
}

void Account::charge(const Limits& limits, Instant now, std::size_t more) {
  if (limits.rate <= 0) return;
  const auto paid = std::max(paid_until_, now) + time_of(static_cast<double>(more), limits.rate);
  paid_until_ = std::max(paid_until_, std::min<Instant>(paid, now + kMaxDebt));
}

// The way of `address`, which may have been another's until now.
std::size_t AddressTable::Set::find(const http::ClientAddress& address) {
  const auto* const known = std::find(addresses.begin(), addresses.end(), address);
  if (known != addresses.end()) return static_cast<std::size_t>(known - addresses.begin());
  std::size_t free = kWays;
  for (std::size_t way = 0; way < kWays; ++way)
    if (accounts[way].in_flight() == 0 && (free == kWays || accounts[way].paid_until() < accounts[free].paid_until()))
      free = way;
  if (free == kWays) return kWays;
  addresses[free] = address;
  accounts[free] = {};
  return free;
}

AddressTable::Entry AddressTable::enter(const http::ClientAddress& address, Instant now) {
  const std::size_t number = net::AddressHash()(address) % kSets;
  Set& set = (*sets_)[number];
  const MutexLock lock(set.mutex);
  const std::size_t way = set.find(address);
  return {set.accounts[way].enter(limits_, now), {number, way}};
}

void AddressTable::leave(Place place) {
  Set& set = (*sets_)[place.set];
  const MutexLock lock(set.mutex);
  set.accounts[place.way].leave();
}

void AddressTable::charge(Place place, Instant now, std::size_t more) {
  Set& set = (*sets_)[place.set];
  const MutexLock lock(set.mutex);
  set.accounts[place.way].charge(limits_, now, more);
}

std::size_t AddressTable::size(Instant now) const {
  std::size_t size = 0;
  for (const Set& set : *sets_) {
    const MutexLock lock(set.mutex);
    size += static_cast<std::size_t>(
        std::count_if(set.accounts.begin(), set.accounts.begin() + kWays,
                      [&](const Account& one) { return one.in_flight() > 0 || one.paid_until() > now; }));
  }
  return size;
}

}  // namespace frond::keys
