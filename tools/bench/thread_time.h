#pragma once
// CPU time that the calling thread has used: what a query costs, whatever else the machine does meanwhile.
#include <time.h>

#include <cstdint>

namespace frond::tools {

inline std::uint64_t thread_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace frond::tools
