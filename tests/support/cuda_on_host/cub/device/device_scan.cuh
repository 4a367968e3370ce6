#pragma once
// CUB's device scan on the host, as far as our .cu files use it. Runs at once. Asks for a byte of temporary memory, so
// that a caller that passes none fails.
#include <cstddef>
#include <iterator>
#include <numeric>

#include "tests/support/cuda_on_host/cuda_runtime.h"

namespace cub {

struct DeviceScan {
  template <class From, class To>
  static cudaError_t ExclusiveSum(void* space, std::size_t& bytes, From from, To to, int count, cudaStream_t) {
    if (space == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    if (cuda_on_host::lost() || bytes < 1) return cudaErrorLaunchFailure;
    if (cuda_on_host::hangs()) return cudaSuccess;
    std::exclusive_scan(from, from + count, to, std::iter_value_t<From>{});
    return cudaSuccess;
  }
};

}  // namespace cub
