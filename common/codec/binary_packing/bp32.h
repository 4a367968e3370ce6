#pragma once
// Codec "bp32": binary packing of groups of 32 numbers, without vectors: the baseline of Mallia 2019 §2. A group's
// width is what its greatest number needs. Format: docs/formats/binary-packing.md; a group's bits in horizontal.h.
//
//   stream  groups, each `width` words (a last one that is not full: as many as its bits need) | zeros to align
//           | u8 a group: its width, four a block (0 for groups that the last block lacks)
//           | u32 for each of blocks 8, 16, …: where it begins, in words
// The four widths of a block are one word, as in the paper. They are stored apart from the groups, so that a block
// begins at its checkpoint plus the sum of at most 28 widths.
#include "common/codec/endpoints.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::uint32_t kBp32Group = 32;
inline constexpr std::uint32_t kBp32CheckpointBlocks = 8;

FROND_HOST_DEVICE constexpr std::uint32_t bp32_checkpoints(std::uint32_t count) {
  return count ? (blocks_of(count, kBlockLength) - 1) / kBp32CheckpointBlocks : 0;
}
// Bytes of widths and checkpoints, which end the stream.
FROND_HOST_DEVICE constexpr std::size_t bp32_index_bytes(std::uint32_t count) {
  return (std::size_t{blocks_of(count, kBlockLength)} + bp32_checkpoints(count)) * 4;
}

const ListCodec& bp32();

}  // namespace frond::codec
