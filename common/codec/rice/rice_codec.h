#pragma once
// Codec "rice": Rice codes with unary and binary parts in separate bit vectors, so that a block is decoded by two local
// prefix sums: a docID is the docID before the block, plus the sum of the low parts, plus 2^k times the sum of the
// unary parts. (Ding et al. 2009 §6.1.) Format: docs/formats/rice.md.
//
// Where we differ: k is chosen for every block of 128, not for a list, since passages of one article lie together. Base
// sums are stored for blocks of numbers, not for every 128 bits of the unary vector, so a block is found without a
// search; in place of 32 bits they take a byte a block and a checkpoint every sixteen blocks.
//
//   group   of 16 blocks, on 16 bytes: low parts of its full blocks, 16 * k bytes each, as simd-bp128 packs them
//           | their unary parts, bit after bit: q zeros and a one for every number | from the next byte: Rice code of
//           the last block when it is not full (rice.h) | zeros to 16
//   stream  groups | u8 a block: k | u8 a full block: sum of its q, so that its unary part has 128 bits more
//           | u32 for each of blocks 16, 32, …: where its group begins, in 16 bytes
#include <cstddef>
#include <cstdint>

#include "common/codec/block_index.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::uint32_t kRiceMaxSum = 255;  // of the q of a block

// Bytes of the index, which ends the stream: k of every block, sums of the full ones, checkpoints.
FROND_HOST_DEVICE constexpr std::size_t rice_index_bytes(std::uint32_t count) {
  return std::size_t{blocks_of(count)} + count / kBlockLength + std::size_t{checkpoints_of(blocks_of(count))} * 4;
}

const ListCodec& rice();

}  // namespace frond::codec
