#pragma once
// CUB's radix sort on the host, as far as our .cu files use it. Runs at once; stable, as CUB's. The result is in the
// other buffers, as it often is on a device. Asks for a byte of temporary memory, so that a caller that passes none
// fails.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tests/support/cuda_on_host/cuda_runtime.h"

namespace cub {

template <class T>
class DoubleBuffer {
 public:
  DoubleBuffer(T* current, T* other) : sides_{current, other} {}
  T* Current() const { return sides_[selector]; }
  T* Alternate() const { return sides_[1 - selector]; }
  int selector = 0;

 private:
  T* sides_[2];
};

struct DeviceRadixSort {
  template <class Key, class Value>
  static cudaError_t SortPairs(void* space, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                               int count, int begin_bit, int end_bit, cudaStream_t) {
    if (space == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    if (cuda_on_host::lost() || bytes < 1) return cudaErrorLaunchFailure;
    if (cuda_on_host::hangs()) return cudaSuccess;
    const auto digit = [&](int i) {
      const std::uint64_t low = std::uint64_t{keys.Current()[i]} & ((std::uint64_t{1} << end_bit) - 1);
      return low >> begin_bit;
    };
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return digit(a) < digit(b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      keys.Alternate()[i] = keys.Current()[order[i]];
      values.Alternate()[i] = values.Current()[order[i]];
    }
    keys.selector = values.selector = 1 - keys.selector;
    return cudaSuccess;
  }
};

}  // namespace cub
