#pragma once
// A block of 128 numbers in a warp's registers: lane t has numbers 4 t .. 4 t + 3, so that a lane writes 16 bytes and
// one scan of 32 sums adds a block up. All 32 lanes call together. (After Mallia et al. 2019 §3.1, which has a thread a
// number, and no sums.)
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/base/ids.h"

namespace frond::device {

inline constexpr std::uint32_t kFullWarp = 0xffffffffu;

struct Four {
  std::uint32_t at[4];
};

__device__ inline std::uint32_t lane_of_warp() { return threadIdx.x % 32; }

// Sum of `own` over the lanes before this one.
__device__ inline std::uint32_t sum_before(std::uint32_t own, std::uint32_t lane) {
  std::uint32_t sum = own;
  for (std::uint32_t distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kFullWarp, sum, distance);
    if (lane >= distance) sum += other;
  }
  return sum - own;
}

// Numbers stored less one, added up behind `before`.
__device__ inline Four add_up(Four numbers, std::uint32_t before, std::uint32_t lane) {
  Four& sums = numbers;
  sums.at[0] += 1;
  for (int i = 1; i < 4; ++i) sums.at[i] += sums.at[i - 1] + 1;
  const std::uint32_t start = before + sum_before(sums.at[3], lane);
  for (int i = 0; i < 4; ++i) sums.at[i] += start;
  return sums;
}

// Does one of this lane's docIDs not ascend, among the first `size` of the block? Whoever calls has docIDs of all
// lanes.
__device__ inline bool out_of_order(const Four& docids, std::uint32_t before, std::uint32_t size, std::uint32_t lane) {
  std::uint32_t previous = __shfl_up_sync(kFullWarp, docids.at[3], 1);
  bool wrong = false;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (lane == 0 && i == 0)
      wrong = before != kNoDoc && docids.at[0] <= before;
    else
      wrong |= 4 * lane + i < size && docids.at[i] <= previous;
    previous = docids.at[i];
  }
  return wrong;
}

// A plain struct of 32-bit words, as lane `from` has it.
template <class T>
__device__ inline T from_lane(const T& own, std::uint32_t from) {
  static_assert(sizeof(T) % 4 == 0);
  T got;
  const auto* in = reinterpret_cast<const std::uint32_t*>(&own);
  auto* out = reinterpret_cast<std::uint32_t*>(&got);
#pragma unroll
  for (std::size_t word = 0; word < sizeof(T) / 4; ++word)
    out[word] = __shfl_sync(kFullWarp, in[word], static_cast<int>(from));
  return got;
}

}  // namespace frond::device
