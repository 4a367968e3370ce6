#pragma once
// Codec "simd-bp128": binary packing of blocks of 128 in four vertical lanes. (Lemire and Boytsov, "Decoding billions
// of integers per second through vectorization", 2015; differences are to the number before, not to four before, so
// that a block stands on its own and gaps stay small.) Format: docs/formats/simd-bp128.md.
//
// Numbers are stored as distances less one (distances.h).
//   block   number j of a block of width b is in lane j % 4, at bit (j / 4) * b of the lane; word w of a lane is 32-bit
//           word 4 * w + lane of the block: 16 * b bytes a block.
//   stream  full blocks | last block when it is not full: Rice code (bits/rice.h) | zeros to align
//           | u8 a block: width, or the Rice parameter | u32 for each of blocks 16, 32, …: where it begins, in 16 bytes
// A block begins at its checkpoint plus the sum of at most 15 widths (block_index.h). The index is found from the
// stream's end, so the payload begins with the stream: aligned, without a header.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/codec/block_index.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Bytes of widths and checkpoints, which end the stream.
FROND_HOST_DEVICE constexpr std::size_t simd_bp_index_bytes(std::uint32_t count) {
  return std::size_t{blocks_of(count)} + std::size_t{checkpoints_of(blocks_of(count))} * 4;
}

const ListCodec& simd_bp128();

}  // namespace frond::codec
