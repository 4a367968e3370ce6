#pragma once
// How many requests are served: in the long run (a rate) and at a time. One account for each key or address.
//
// The rate is the generic cell rate algorithm's (ITU-T I.371, Annex A): an account is one instant, up to which its
// requests are paid for. It needs no timer, and an account that was idle for long equals a new one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/http/message.h"
#include "common/keys/api_key.h"

namespace frond::keys {

// kTooMany: as many requests are at work as may be; kTooFast: the rate is used up, for `retry_seconds`, at least 1.
struct Verdict {
  enum class Kind { kTaken, kTooMany, kTooFast };
  Kind kind = Kind::kTaken;
  std::int64_t retry_seconds = 1;
  explicit operator bool() const { return kind == Kind::kTaken; }
};

// One thread at a time.
class Account {
 public:
  // Counts a request, unless a limit refuses it.
  Verdict enter(const Limits& limits, Instant now);
  void leave() { --in_flight_; }
  // Counts `more` requests that are served already: the account may owe up to an hour of its rate.
  void charge(const Limits& limits, Instant now, std::size_t more);

  std::uint32_t in_flight() const { return in_flight_; }
  // When it equals a new one, if no request is in flight.
  Instant paid_until() const { return paid_until_; }

 private:
  Instant paid_until_{};
  std::uint32_t in_flight_ = 0;
};

// The account of a key. Thread-safe.
class Meter {
 public:
  Verdict enter(const Limits& limits, Instant now) {
    const MutexLock lock(mutex_);
    return account_.enter(limits, now);
  }
  void leave() {
    const MutexLock lock(mutex_);
    account_.leave();
  }
  void charge(const Limits& limits, Instant now, std::size_t more) {
    const MutexLock lock(mutex_);
    account_.charge(limits, now, more);
  }

 private:
  Mutex mutex_;
  Account account_ FROND_GUARDED_BY(mutex_);
};

// An account for each client address, in bounded memory: however many addresses come, the table has places for
// kSets × kWays. An address has a place while it has requests in flight or has not yet paid for its last ones; that is
// a second after an ordinary request. Then, or earlier if all eight places that the address may have are taken, a
// newcomer gets the place of the one that owes least. If all eight have requests in flight, further addresses share one
// account.
//
// Thread-safe.
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
