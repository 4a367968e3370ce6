#pragma once
// When to try a request again: pauses that double, a random part of each of them waited ("full jitter"), and bounds on
// attempts, time and bytes moved in vain.
#include <chrono>
#include <cstdint>
#include <functional>

#include "common/objects/place.h"

namespace frond::objects {

using Stopping = std::function<bool()>;  // true: give up; empty: never

// The attempts of one operation. One thread.
class Retry {
 public:
  // `bytes`: what the operation moves if all goes well.
  Retry(const RetryLimits& limits, std::uint64_t bytes, Stopping stopping);

  // After an attempt that failed, and moved `moved` bytes in vain: waits, at least `at_least`, and gives true if there
  // may be another. False: a bound is reached, or `stopping` said so.
  bool again(std::uint64_t moved, std::chrono::milliseconds at_least = {});
  unsigned attempts() const { return attempts_; }  // that were made
  std::chrono::milliseconds left() const;          // of the time; at least 1 ms
  const char* bound() const { return bound_; }     // why again() gave false: "8 attempts"

 private:
  const RetryLimits& limits_;
  const Stopping stopping_;
  const std::chrono::steady_clock::time_point end_;
  const std::uint64_t max_wasted_;
  std::uint64_t wasted_ = 0;
  unsigned attempts_ = 1;
  const char* bound_ = "";
};

}  // namespace frond::objects
