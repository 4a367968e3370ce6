#pragma once
// Kernels over many items: a thread takes items, or a warp does, in strides. For .cu files. A kernel's last parameter
// is how many threads there are.
#include <algorithm>

#include "common/device/launch.cuh"
#include "indexer/order/gpu/kernels.h"

namespace frond::indexer::order::gpu {

inline constexpr std::uint32_t kItemThreads = 256, kBlocksPerProcessor = 8, kLanes = 32;

__device__ inline std::uint32_t first_of_thread() { return blockIdx.x * kItemThreads + threadIdx.x; }
__device__ inline std::uint32_t first_of_warp() { return first_of_thread() / kLanes; }
__device__ inline std::uint32_t lane_of_thread() { return threadIdx.x % kLanes; }

// items: of threads, or of warps.
template <class... Parameters, class... Arguments>
Result<void> launch_items(const char* what, void (*kernel)(Parameters...), std::uint64_t items,
                          const KernelPlace& place, const Arguments&... arguments) {
  const std::uint64_t wanted = (items + kItemThreads - 1) / kItemThreads;
  const auto blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted, std::uint64_t{place.processors} * kBlocksPerProcessor));
  return device::launch(what, kernel, blocks, kItemThreads, place.stream, arguments..., blocks * kItemThreads);
}
template <class... Parameters, class... Arguments>
Result<void> launch_warps(const char* what, void (*kernel)(Parameters...), std::uint64_t items,
                          const KernelPlace& place, const Arguments&... arguments) {
  return launch_items(what, kernel, items * kLanes, place, arguments...);
}

}  // namespace frond::indexer::order::gpu
