#pragma once
// A packed block of an image read by one warp, as common/device/unpack.cuh has it: lane t has numbers 4 t .. 4 t + 3.
//
// All 32 lanes call together. Places come from an image that admit.h has checked; a row more may be read behind it.
#include "common/base/ids.h"
#include "common/codec/bits/packed_number.h"
#include "common/codec/list_codec.h"
#include "common/device/unpack.cuh"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

using device::Four, device::kFullWarp, device::lane_of_warp, device::sum_before;

__device__ inline Four unpack_four(const std::byte* image, PackedPlace place, std::uint32_t lane) {
  const std::uint32_t width = width_of(place);
  if (width == 0) return Four{};
  return device::unpack_rows(reinterpret_cast<const std::uint32_t*>(image + offset_of(place)), width, lane);
}

// The docID before a block's first, as its distances have it: segments stand on their own, so their first blocks count
// from -1.
__device__ inline std::uint32_t docid_before(const BlockEntry* blocks, std::uint32_t block) {
  return block % kSegmentBlocks == 0 ? kNoDoc : __ldg(&(blocks + block - 1)->last);
}

// Distances, stored less one, to docIDs. `before`: docid_before().
__device__ inline Four decode_docids(const std::byte* image, PackedPlace place, std::uint32_t before,
                                     std::uint32_t lane) {
  return device::add_up(unpack_four(image, place, lane), before, lane);
}

// One frequency without decoding its block; any lane alone.
__device__ inline std::uint32_t one_frequency(const std::byte* image, PackedPlace place, std::uint32_t index) {
  const std::uint32_t width = width_of(place);
  if (width == 0) return 1;
  return codec::vertical_number(reinterpret_cast<const std::uint32_t*>(image + offset_of(place)), index, width) + 1;
}

__device__ inline BlockEntry load_entry(const BlockEntry* entry) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(entry));
  return {words.x, words.y, words.z, words.w};
}

}  // namespace frond::leaf::gpu
