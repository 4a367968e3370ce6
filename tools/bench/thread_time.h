#pragma once
// CPU time of the calling thread: the cost of a query, independent of other load on the machine.
#include <time.h>

#include <cstdint>

namespace frond::tools::bench {

inline std::uint64_t thread_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace frond::tools::bench
