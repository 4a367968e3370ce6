#pragma once
// The clocks of measurements.
#include <time.h>

#include <chrono>
#include <cstdint>

namespace frond::tools::bench {

// CPU time of the calling thread: the cost of a query, independent of other load on the machine.
inline std::uint64_t thread_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// By the wall clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace frond::tools::bench
