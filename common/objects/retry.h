#pragma once
// When to try a request again: pauses that double, a random part of each of them waited ("full jitter"), and bounds on
// attempts, time and bytes moved in vain. Until a store has answered for the first time, the time is shorter.
#include <chrono>
#include <cstdint>
#include <functional>

#include "common/objects/place.h"

namespace frond::objects {

using Stopping = std::function<bool()>;  // true: give up; empty: never

// The attempts of one operation. One thread.
class Retry {
 public:
  // `bytes`: what the operation moves if all goes well. `first`: the store has never answered.
  Retry(const RetryLimits& limits, std::uint64_t bytes, Stopping stopping, bool first);

  // The store has answered: from now on the time is that of the limits.
  void answered() { end_ = begun_ + limits_.time; }
  // After an attempt that failed, and moved `moved` bytes in vain: waits, at least `at_least`, and gives true if there
  // may be another. False: a bound is reached, or `stopping` said so.
  bool again(std::uint64_t moved, std::chrono::milliseconds at_least = {});
  unsigned attempts() const { return attempts_; }  // that were made
  std::chrono::milliseconds left() const;          // of the time; at least 1 ms
  std::chrono::milliseconds spent() const;         // since the operation began
  bool stopped() const { return bound_ == kStopped; }
  const char* bound() const { return bound_; }  // why again() gave false: "8 attempts"

 private:
  static constexpr const char* kStopped = "stopped";
  const RetryLimits limits_;
  const Stopping stopping_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point end_;
  const std::uint64_t max_wasted_;
  std::uint64_t wasted_ = 0;
  unsigned attempts_ = 1;
  const char* bound_ = "";
};

}  // namespace frond::objects
