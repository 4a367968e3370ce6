#pragma once
// A block of 128 numbers of a stream, as the codecs' building blocks get and give it.
#include "common/codec/endpoints.h"
#include "common/codec/stream_words.h"
#include "common/device/warp.cuh"

namespace frond::device_codec {

using codec::kBlockLength, codec::StreamWords;
using device::add_up, device::Four, device::from_lane, device::kFullWarp, device::lane_of_warp, device::out_of_order,
    device::sum_before;

// A thread reads a full block by runs of 16 numbers (readers.cuh).
inline constexpr std::uint32_t kRunLength = 16, kRuns = kBlockLength / kRunLength;

// What find() and unpack() get about a block.
struct BlockOfList {
  std::uint32_t count;   // numbers of the list
  std::uint32_t block;   // index in the list, in range
  std::uint32_t before;  // docID before the block's first; kNoDoc: none
  __device__ std::uint32_t first() const { return block * kBlockLength; }
  __device__ std::uint32_t size() const { return min(kBlockLength, count - first()); }
  __device__ bool full() const { return count - first() >= kBlockLength; }
};

struct Unpacked {
  Four numbers{};
  bool narrow = false;
};

// Where a block lies in a stream that ends with an array of endpoints (common/codec/endpoints.h; Mallia et al. 2019 §3,
// Figure 1), read by one thread.

struct Extent {
  std::uint32_t begin, end;  // bytes
};

// Finds block `block` < blocks. False: the endpoints are corrupt. unit: bytes that endpoints count in; reserved: bytes
// between payload and endpoints.
__device__ inline bool extent_of(codec::StreamWords stream, std::uint32_t blocks, std::uint32_t block, unsigned unit,
                                 std::uint64_t reserved, Extent& extent) {
  const std::uint64_t index = reserved + std::uint64_t{blocks} * 4;
  if (index > stream.size) return false;
  const std::uint32_t* ends = stream.words + (stream.size / 4 - blocks);
  const std::uint64_t end = std::uint64_t{__ldg(ends + block)} * unit;
  const std::uint64_t begin = block ? std::uint64_t{__ldg(ends + block - 1)} * unit : 0;
  extent = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  return begin <= end && end <= stream.size - index;
}

}  // namespace frond::device_codec
