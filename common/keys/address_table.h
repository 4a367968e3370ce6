#pragma once
// An account for each client address, in bounded memory: however many addresses come, the table has places for
// kSets × kWays. An address has a place while it has requests in flight or has not yet paid for its last ones; that is
// a second after an ordinary request. Then, or earlier if all eight places that the address may have are taken, a
// newcomer gets the place of the one that owes least. If all eight have requests in flight, further addresses share one
// account.
//
// Thread-safe.
#include <array>
#include <cstddef>
#include <memory>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/http/access.h"
#include "common/keys/meter.h"

namespace frond::keys {

class AddressTable {
 public:
  static constexpr std::size_t kSets = 2048, kWays = 8;

  explicit AddressTable(const Limits& limits) : limits_(limits), sets_(std::make_unique<std::array<Set, kSets>>()) {}

  // An account's place, from enter() to leave().
  struct Place {
    std::size_t set = 0, way = 0;
  };
  struct Entry {
    Verdict verdict;
    Place place;  // valid if the verdict is kTaken
  };
  Entry enter(const http::ClientAddress& address, Instant now);
  void leave(Place place);
  void charge(Place place, Instant now, std::size_t more);

  // Addresses that have requests in flight or have not paid. Looks at all places.
  std::size_t size(Instant now) const;
  static constexpr std::size_t capacity() { return kSets * kWays; }

 private:
  struct Set {
    mutable Mutex mutex;
    std::array<http::ClientAddress, kWays> addresses FROND_GUARDED_BY(mutex) = {};
    std::array<Account, kWays + 1> accounts FROND_GUARDED_BY(mutex);  // the last one is shared
    std::size_t find(const http::ClientAddress& address) FROND_REQUIRES(mutex);
  };
  const Limits limits_;
  const std::unique_ptr<std::array<Set, kSets>> sets_;
};

}  // namespace frond::keys
