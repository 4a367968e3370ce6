#pragma once
// Where a block lies in a stream that ends with an array of endpoints (common/codec/endpoints.h; Mallia et al. 2019 §3,
// Figure 1), read by one thread.
#include "common/codec/endpoints.h"
#include "common/codec/stream_words.h"

namespace frond::device_codec {

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
