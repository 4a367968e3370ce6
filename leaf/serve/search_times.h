#pragma once
// The time between two instants, in the units of profiles and of metrics.
#include <chrono>
#include <cstdint>

#include "common/base/deadline.h"

namespace frond::leaf::serve {

inline std::uint64_t micros_between(Instant from, Instant to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

inline double seconds_between(Instant from, Instant to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace frond::leaf::serve
