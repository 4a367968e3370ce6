#include "common/keys/address_table.h"

#include <algorithm>

#include "common/http/address_hash.h"

namespace frond::keys {

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
  const std::size_t number = http::AddressHash()(address) % kSets;
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
