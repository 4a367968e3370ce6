#pragma once
// What all threads of a thread block do together, with barriers.
#include <cstdint>

namespace frond::leaf::gpu {

// Whether any thread has some: for step after step of a loop, which all threads of the block take. One barrier. `any`:
// three numbers in shared memory, 0 at first; `step`: each thread's own, 0 at first.
__device__ inline bool are_left(std::uint32_t* any, std::uint32_t& step, bool some) {
  if (some) any[step % 3] = 1;
  __syncthreads();
  const bool left = any[step % 3] != 0;
  if (threadIdx.x == 0) any[(step + 2) % 3] = 0;  // all have read it before the barrier; set again after the next
  ++step;
  return left;
}

// Bitonic sort of places 0 .. count - 1; those behind count as coming last, and each step leaves the first of two
// places in the lower one. arrange(a, b), with a < b, swaps what lies at two places unless that of `a` comes first, or
// is equal. kThreads: of the block. What lies there is set before a barrier; ends with one if count > 1.
template <std::uint32_t kThreads, class Arrange>
__device__ inline void sort_places(std::uint32_t count, const Arrange& arrange) {
  for (std::uint32_t half = 1; half < count; half *= 2) {  // runs of `half` become runs of twice as many
    for (std::uint32_t distance = half; distance > 0; distance /= 2) {
      for (std::uint32_t i = threadIdx.x; 2 * (i - (i & (distance - 1))) < count; i += kThreads) {
        const std::uint32_t low = 2 * i - (i & (distance - 1));
        const std::uint32_t high = distance == half ? low ^ (2 * half - 1) : low + distance;
        if (high < count) arrange(low, high);
      }
      __syncthreads();
    }
  }
}

}  // namespace frond::leaf::gpu
