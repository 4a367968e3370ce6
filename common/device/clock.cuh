#pragma once
// The device's clock. For .cu files.
#include <chrono>
#include <cstdint>

#include <cuda_runtime.h>

namespace frond::device {

// Nanoseconds, from an unspecified start, of a clock that all processors and streams of the device share. It advances
// in steps of 32 ns on an H200, perhaps of a microsecond on others. In kernels that tests compile for the host, it is
// the host's.
__device__ inline std::uint64_t nanoseconds_now() {
#ifdef __CUDACC__
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
#endif
}

}  // namespace frond::device
