#pragma once
// Decodes a packed block of 128 numbers of a list with one warp (layout: common/device/unpack.cuh).
//
// Mapping: all 32 lanes call together with equal arguments, unless a comment says otherwise. Result: lane t gets
// numbers 4 t .. 4 t + 3 in registers. Shared memory: none. Blocks are aligned to 16, and 16 bytes behind them are
// readable. Lists are admitted (list_kernels.h), so nothing is checked here.
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

// The docID that a block's first distance is added to. Segments are independent, so it is kNoDoc, which is -1, for the
// first block of each. Any lane alone.
__device__ inline std::uint32_t docid_before(const BlockEntry* blocks, std::uint32_t block) {
  return block % kSegmentBlocks == 0 ? kNoDoc : __ldg(&(blocks + block - 1)->last);
}

// The docIDs of a block, from their stored distances less one. `before`: docid_before().
__device__ inline Four decode_docids(const std::byte* image, PackedPlace place, std::uint32_t before,
                                     std::uint32_t lane) {
  return device::add_up(unpack_four(image, place, lane), before, lane);
}

// The frequency at `index` of a block, without decoding the others. Any lane alone.
__device__ inline std::uint32_t one_frequency(const std::byte* image, PackedPlace place, std::uint32_t index) {
  const std::uint32_t width = width_of(place);
  if (width == 0) return 1;
  return codec::vertical_number(reinterpret_cast<const std::uint32_t*>(image + offset_of(place)), index, width) + 1;
}

// Reads a block's entry with one load. Any lane alone.
__device__ inline BlockEntry load_entry(const BlockEntry* entry) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(entry));
  return {words.x, words.y, words.z, words.w};
}

__device__ inline std::uint32_t size_of(const BlockEntry& entry) { return entry.deficit_and_count & 0xffffu; }

}  // namespace frond::leaf::gpu
