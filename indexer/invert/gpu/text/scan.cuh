#pragma once
// Sums over all items before each, by CUB. For .cu files.
#include <cub/device/device_scan.cuh>

#include "indexer/invert/gpu/text/kernels.h"

namespace frond::indexer::invert::gpu {

// `to` may be `from`.
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
