#pragma once
// Finds blocks of different sizes in a stream: a byte holds the size of each block, and a checkpoint the begin of every
// sixteenth block. A block begins at its checkpoint plus the sum of at most 15 sizes, so any block is found without
// reading others.
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::uint32_t kGroupBlocks = 16;  // blocks of one checkpoint

FROND_HOST_DEVICE constexpr std::uint32_t blocks_of(std::uint32_t count) {
  return count / kBlockLength + (count % kBlockLength != 0);
}
// Checkpoints of `blocks` blocks: one for each of blocks 16, 32, … Block 0 begins at 0.
FROND_HOST_DEVICE constexpr std::uint32_t checkpoints_of(std::uint32_t blocks) {
  return blocks ? (blocks - 1) / kGroupBlocks : 0;
}

// Sum of the first `count` bytes. 16 bytes are read.
// REQUIRES: count <= 16.
inline std::uint32_t sum_of_bytes(const std::byte* bytes, std::uint32_t count) {
  auto low = load_le<std::uint64_t>(bytes), high = load_le<std::uint64_t>(bytes + 8);
  const auto keep = [](std::uint64_t word, std::uint32_t kept) {
    return kept >= 8 ? word : word & ~(~std::uint64_t{0} << (8 * kept));
  };
  low = keep(low, count);
  high = count > 8 ? keep(high, count - 8) : 0;
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;
  const std::uint64_t pairs = (low & kEven) + (low >> 8 & kEven) + (high & kEven) + (high >> 8 & kEven);
  return static_cast<std::uint32_t>(pairs * 0x0001000100010001ULL >> 48);
}

// Where the group of sixteen blocks that has `block` begins, in the checkpoints' unit.
inline std::uint64_t group_begin(const std::byte* checkpoints, std::uint32_t block) {
  const std::uint32_t group = block / kGroupBlocks;
  return group ? load_le<std::uint32_t>(checkpoints + 4 * std::size_t{group - 1}) : 0;
}
// Where `block` begins; sizes are in the checkpoints' unit.
inline std::uint64_t block_begin(const std::byte* sizes, const std::byte* checkpoints, std::uint32_t block) {
  const std::uint32_t place = block % kGroupBlocks;
  return group_begin(checkpoints, block) + sum_of_bytes(sizes + (block - place), place);
}

}  // namespace frond::codec
