#pragma once
// Reads a stream in aligned 32-bit words only, as a GPU's threads do; works on a CPU too. The stream begins on 4 bytes,
// its size is a multiple of 16 (as ListCodec::encode makes it), and kReadSlack readable bytes follow. The readers check
// nothing, and read up to 8 bytes behind the last one that they return.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/codec/bits/packed_number.h"
#include "common/codec/block_index.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

struct StreamWords {
  const std::uint32_t* words = nullptr;
  std::uint64_t size = 0;  // bytes

  // At a byte that is a multiple of 4.
  FROND_HOST_DEVICE std::uint32_t word(std::uint64_t at) const { return words[at / 4]; }
  FROND_HOST_DEVICE std::uint32_t byte(std::uint64_t at) const { return words[at / 4] >> (at % 4 * 8) & 0xff; }
  // Four bytes at any byte.
  FROND_HOST_DEVICE std::uint32_t bytes(std::uint64_t at) const { return bits(at * 8, 32); }
  // `width` <= 32 bits from bit `bit` of the stream as a little-endian bit string.
  FROND_HOST_DEVICE std::uint32_t bits(std::uint64_t bit, std::uint32_t width) const {
    return bits_at(words, bit, width);
  }
  // Sum of `count` <= 16 bytes from byte `at`.
  FROND_HOST_DEVICE std::uint32_t sum_of_bytes(std::uint64_t at, std::uint32_t count) const {
    const std::uint32_t* from = words + at / 4;
    const std::uint32_t shift = static_cast<std::uint32_t>(at % 4) * 8;
    std::uint32_t pairs = 0;  // two sums of 16 bits
    for (std::uint32_t i = 0; i < count; i += 4, ++from) {
      auto four = static_cast<std::uint32_t>((from[0] | static_cast<std::uint64_t>(from[1]) << 32) >> shift);
      if (count - i < 4) four &= (std::uint32_t{1} << 8 * (count - i)) - 1;
      pairs += (four & 0x00ff00ff) + (four >> 8 & 0x00ff00ff);
    }
    return (pairs & 0xffff) + (pairs >> 16);
  }
  // As in block_index.h, with sizes and checkpoints at these bytes: where the group of `block` begins, and the block.
  FROND_HOST_DEVICE std::uint64_t group_begin(std::uint64_t checkpoints, std::uint32_t block) const {
    const std::uint32_t group = block / kGroupBlocks;
    return group ? word(checkpoints + 4 * std::uint64_t{group - 1}) : 0;
  }
  FROND_HOST_DEVICE std::uint64_t block_begin(std::uint64_t sizes, std::uint64_t checkpoints,
                                              std::uint32_t block) const {
    const std::uint32_t place = block % kGroupBlocks;
    return group_begin(checkpoints, block) + sum_of_bytes(sizes + (block - place), place);
  }
};

}  // namespace frond::codec
