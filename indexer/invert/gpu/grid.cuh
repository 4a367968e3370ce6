#pragma once
// Kernels over many items: thread t takes items t, t + threads, t + 2 threads, ... `threads` is a kernel's last
// parameter. For .cu files.
#include <algorithm>

#include <cub/device/device_scan.cuh>

#include "common/device/launch.cuh"
#include "indexer/invert/gpu/device_copies.h"

namespace frond::indexer::invert::gpu {

inline constexpr std::uint32_t kGridThreads = 256;
inline constexpr std::uint32_t kGridBlocksPerProcessor = 8, kLanes = 32;

__device__ inline std::uint32_t first_of_thread() { return blockIdx.x * kGridThreads + threadIdx.x; }
__device__ inline std::uint32_t first_of_warp() { return first_of_thread() / kLanes; }

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
Result<void> launch_grid(const char* what, void (*kernel)(Parameters...), std::uint64_t items, const KernelPlace& place,
                         const Arguments&... arguments) {
  const std::uint64_t wanted = (items + kGridThreads - 1) / kGridThreads;
  const auto blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted, std::uint64_t{place.processors} * kGridBlocksPerProcessor));
  return device::launch(what, kernel, blocks, kGridThreads, place.stream, arguments..., blocks * kGridThreads);
}

// The same for kernels in which a warp takes items, from first_of_warp() on.
template <class... Parameters, class... Arguments>
Result<void> launch_warps(const char* what, void (*kernel)(Parameters...), std::uint64_t items,
                          const KernelPlace& place, const Arguments&... arguments) {
  return launch_grid(what, kernel, items * kLanes, place, arguments...);
}

// Sums over all items before each, by CUB. `to` may be `from`.
template <class T>
Result<void> sum_before(const T* from, T* to, std::uint32_t count, const KernelPlace& place) {
  if (count == 0) return {};
  std::size_t bytes = place.space_bytes;
  return device::status_of(
      cub::DeviceScan::ExclusiveSum(place.space, bytes, from, to, static_cast<int>(count), place.stream), "summing up");
}

template <class T>
Result<std::size_t> sum_space(std::uint32_t count) {
  std::size_t bytes = 0;
  const T* from = nullptr;
  T* to = nullptr;
  FROND_TRY(device::status_of(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, static_cast<int>(count), cudaStream_t{}), "sum_space"));
  return bytes;
}

}  // namespace frond::indexer::invert::gpu
