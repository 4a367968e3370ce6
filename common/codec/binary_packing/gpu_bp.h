#pragma once
// Codecs "gpu-bp128" and "gpu-bp256": GPU-BP (Mallia 2019 §3.1, Figure 1, Algorithm 1): blocks of 128 or 256 numbers of
// one width each and no descriptors: the width follows from the block's endpoints. A warp or a thread block reads a
// number a thread; a CPU decodes 128 numbers of a longer block from where they begin. Format:
// docs/formats/binary-packing.md; a block's bits in horizontal.h, endpoints in endpoints.h.
#include "common/codec/endpoints.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr unsigned kGpuBpUnit = 4;  // bytes of an endpoint's unit: the words of horizontal.h

// Of a block of `words` words and `numbers` numbers: the greatest width that has room. For full blocks that is words /
// (numbers / 32); the last block is packed at it too, where it needs fewer bits.
FROND_HOST_DEVICE constexpr std::uint32_t gpu_bp_width(std::uint64_t words, std::uint32_t numbers) {
  const std::uint64_t width = words * 32 / numbers;
  return width < 32 ? static_cast<std::uint32_t>(width) : 32;
}

const ListCodec& gpu_bp128();
const ListCodec& gpu_bp256();

}  // namespace frond::codec
