#pragma once
// Codec "simd-bp128": binary packing of blocks of 128 in four vertical lanes. (Lemire and Boytsov, "Decoding billions
// of integers per second through vectorization", 2015; differences are to the number before, not to four before, so
// that a block stands on its own and gaps stay small.) Format: docs/formats/simd-bp128.md.
//
// Numbers are stored as distances less one: docIDs to the docID before (to -1 in block 0), frequencies to 0.
//   block   number j of a block of width b is in lane j % 4, at bit (j / 4) * b of the lane; word w of a lane is 32-bit
//           word 4 * w + lane of the block. So 4 words a bit of width, 16 * b bytes a block.
//   stream  full blocks | last block when it is not full: Rice code (rice.h) | zeros to align
//           | u8 a block: width, or the Rice parameter | u32 for each of blocks 16, 32, …: where it begins, in 16 bytes
// A block begins at its checkpoint and the sum of at most 15 widths. The stream's size is known, so its index is found
// from the end, and the payload begins with the stream: aligned, without a header.
//
// Here is what a reader of the format needs on either processor; the codec itself is in the registry.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::uint32_t kCheckpointBlocks = 16;

FROND_HOST_DEVICE constexpr std::uint32_t simd_bp_blocks(std::uint32_t count) {
  return count / kBlockLength + (count % kBlockLength != 0);
}
FROND_HOST_DEVICE constexpr std::uint32_t simd_bp_checkpoints(std::uint32_t count) {
  return count ? (simd_bp_blocks(count) - 1) / kCheckpointBlocks : 0;
}
// Bytes of widths and checkpoints, which end the stream.
FROND_HOST_DEVICE constexpr std::size_t simd_bp_index_bytes(std::uint32_t count) {
  return std::size_t{simd_bp_blocks(count)} + std::size_t{simd_bp_checkpoints(count)} * 4;
}

// Number `index` of a full block, as stored. words: the block's, 4-byte aligned. width 1 .. 32.
FROND_HOST_DEVICE inline std::uint32_t unpack_one(const std::uint32_t* words, std::uint32_t index,
                                                  std::uint32_t width) {
  const std::uint32_t bit = index / 4 * width, lane = index % 4, shift = bit % 32;
  const std::uint32_t* word = words + bit / 32 * 4 + lane;
  std::uint32_t value = word[0] >> shift;
  if (shift + width > 32) value |= word[4] << (32 - shift);
  return width < 32 ? value & ((std::uint32_t{1} << width) - 1) : value;
}

// `width` bits from bit `bit` of a little-endian bit string: the low parts of a Rice code. width 0 .. 31; words[] has
// one readable word after the last one needed.
FROND_HOST_DEVICE inline std::uint32_t bits_at(const std::uint32_t* words, std::uint64_t bit, std::uint32_t width) {
  const std::uint64_t two = words[bit / 32] | static_cast<std::uint64_t>(words[bit / 32 + 1]) << 32;
  return static_cast<std::uint32_t>(two >> (bit % 32)) & ((std::uint32_t{1} << width) - 1);
}

const ListCodec& simd_bp128();

}  // namespace frond::codec
