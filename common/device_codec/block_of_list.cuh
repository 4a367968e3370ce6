#pragma once
// A block of 128 numbers of a stream, as the codecs' building blocks get and give it.
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

}  // namespace frond::device_codec
