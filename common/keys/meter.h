#pragma once
// How many requests are served: in the long run (a rate) and at a time. One account for each key or address.
//
// The rate is the generic cell rate algorithm's (ITU-T I.371, Annex A): an account is one instant, up to which its
// requests are paid for. It needs no timer, and an account that was idle for long equals a new one.
#include <cstddef>
#include <cstdint>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
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

}  // namespace frond::keys
