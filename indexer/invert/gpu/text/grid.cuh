#pragma once
// Kernels over many items: thread t takes items t, t + threads, t + 2 threads, ... `threads` is a kernel's last
// parameter. For .cu files.
#include <algorithm>

#include "common/device/launch.cuh"
#include "indexer/invert/gpu/text/kernels.h"

namespace frond::indexer::invert::gpu {

inline constexpr std::uint32_t kGridThreads = 256;
inline constexpr std::uint32_t kBlocksPerProcessor = 8;

__device__ inline std::uint32_t first_of_thread() { return blockIdx.x * kGridThreads + threadIdx.x; }

// The last of `count` parts that begins at or before a place: begins ascends, and the first is not behind it.
__device__ inline std::uint32_t part_at(const std::uint32_t* begins, std::uint32_t count, std::uint32_t place) {
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (begins[middle] <= place)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// items: how many there are at most.
template <class... Parameters, class... Arguments>
Result<void> launch_grid(const char* what, void (*kernel)(Parameters...), std::uint32_t items, const KernelPlace& place,
                         const Arguments&... arguments) {
  const std::uint32_t wanted = items / kGridThreads + (items % kGridThreads != 0 ? 1 : 0);
  const std::uint32_t blocks = std::min(wanted, place.processors * kBlocksPerProcessor);
  return device::launch(what, kernel, blocks, kGridThreads, place.stream, arguments..., blocks * kGridThreads);
}

}  // namespace frond::indexer::invert::gpu
