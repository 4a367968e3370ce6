#pragma once
// A packed block read by one warp: lane t has numbers 4 t .. 4 t + 3. Number j of a block lies in lane j % 4 of four,
// at bit (j / 4) * width (docs/formats/simd-bp128.md): so a lane's four numbers are at one bit offset of one 16-byte
// row, and reach into the row after at most. (One warp a block, each lane a few values, funnel shifts, and a warp scan
// for the sums: after Mallia et al. 2019, 3.1, which has a thread a value and no sums.)
//
// All 32 lanes call together. Places come from an image that admit.h has checked; a row more may be read behind it.
#include "common/base/ids.h"
#include "common/codec/simd_bp128.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

inline constexpr std::uint32_t kFullWarp = 0xffffffffu;

struct Four {
  std::uint32_t at[4];
};

__device__ inline std::uint32_t lane_of_warp() { return threadIdx.x % 32; }

__device__ inline Four unpack_four(const std::byte* image, PackedPlace place, std::uint32_t lane) {
  const std::uint32_t width = width_of(place);
  if (width == 0) return Four{};
  const std::uint32_t bit = lane * width, shift = bit % 32;
  const auto* row = reinterpret_cast<const uint4*>(image + offset_of(place)) + bit / 32;
  const uint4 low = __ldg(row);
  uint4 high = low;
  if (shift + width > 32) high = __ldg(row + 1);
  const std::uint32_t mask = 0xffffffffu >> (32 - width);
  return Four{{__funnelshift_r(low.x, high.x, shift) & mask, __funnelshift_r(low.y, high.y, shift) & mask,
               __funnelshift_r(low.z, high.z, shift) & mask, __funnelshift_r(low.w, high.w, shift) & mask}};
}

// Sum of `own` over the lanes before this one.
__device__ inline std::uint32_t sum_before(std::uint32_t own, std::uint32_t lane) {
  std::uint32_t sum = own;
  for (std::uint32_t distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kFullWarp, sum, distance);
    if (lane >= distance) sum += other;
  }
  return sum - own;
}

// The docID before a block's first, as its distances have it: segments stand on their own, so their first blocks count
// from -1.
__device__ inline std::uint32_t docid_before(const BlockEntry* blocks, std::uint32_t block) {
  return block % kSegmentBlocks == 0 ? kNoDoc : __ldg(&(blocks + block - 1)->last);
}

// Distances, stored less one, to docIDs. `before`: docid_before().
__device__ inline Four docids_of(Four distances, std::uint32_t before, std::uint32_t lane) {
  Four& sums = distances;
  sums.at[0] += 1;
  for (int i = 1; i < 4; ++i) sums.at[i] += sums.at[i - 1] + 1;
  const std::uint32_t start = before + sum_before(sums.at[3], lane);
  for (int i = 0; i < 4; ++i) sums.at[i] += start;
  return sums;
}

__device__ inline Four decode_docids(const std::byte* image, PackedPlace place, std::uint32_t before,
                                     std::uint32_t lane) {
  return docids_of(unpack_four(image, place, lane), before, lane);
}

// One frequency without decoding its block; any lane alone.
__device__ inline std::uint32_t one_frequency(const std::byte* image, PackedPlace place, std::uint32_t index) {
  const std::uint32_t width = width_of(place);
  if (width == 0) return 1;
  return codec::unpack_one(reinterpret_cast<const std::uint32_t*>(image + offset_of(place)), index, width) + 1;
}

__device__ inline BlockEntry load_entry(const BlockEntry* entry) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(entry));
  return {words.x, words.y, words.z, words.w};
}

}  // namespace frond::leaf::gpu
