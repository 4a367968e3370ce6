#pragma once
// Codecs "gpu-bp128" and "gpu-bp256": GPU-BP (Mallia 2019 §3.1, Figure 1, Algorithm 1): blocks of 128 or 256 numbers of
// one width each, which follows from the block's endpoints, so that no descriptor is stored. Each thread of a warp or
// thread block reads a number; a CPU decodes any 128 numbers of a longer block. Format:
// docs/formats/binary-packing.md; a block's bits in horizontal.h, endpoints in endpoints.h.
#include "common/codec/endpoints.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr unsigned kGpuBpUnit = 4;  // bytes of an endpoint's unit: the words of horizontal.h

// The width of a block of `words` words and `numbers` numbers: the greatest that fits. For full blocks that is words /
// (numbers / 32); the last block is packed at the greatest width that fits, even if it needs fewer bits.
FROND_HOST_DEVICE constexpr std::uint32_t gpu_bp_width(std::uint64_t words, std::uint32_t numbers) {
  const std::uint64_t width = words * 32 / numbers;
  return width < 32 ? static_cast<std::uint32_t>(width) : 32;
}

const ListCodec& gpu_bp128();
const ListCodec& gpu_bp256();

}  // namespace frond::codec
