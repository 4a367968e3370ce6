#pragma once
// One number out of packed bits, without the numbers around it; any lane of a GPU alone too. Bit strings are
// little-endian: bit i is bit i % 32 of word i / 32, and bit i % 8 of byte i / 8. Widths are 0 .. 32.
#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/check.h"

namespace frond::codec {

// `width` bits from bit `shift` < 32 of two words.
FROND_HOST_DEVICE inline std::uint32_t bits_of(std::uint32_t low, std::uint32_t high, std::uint32_t shift,
                                               std::uint32_t width) {
  const std::uint64_t two = low | static_cast<std::uint64_t>(high) << 32;
  return static_cast<std::uint32_t>(two >> shift & ((std::uint64_t{1} << width) - 1));
}

// `width` bits from bit `bit` of a bit string. The word of the first bit and the one after it are read.
FROND_HOST_DEVICE inline std::uint32_t bits_at(const std::uint32_t* words, std::uint64_t bit, std::uint32_t width) {
  const std::uint32_t* from = words + bit / 32;
  return bits_of(from[0], from[1], static_cast<std::uint32_t>(bit % 32), width);
}
// The same from bytes at any alignment, on the host. Eight bytes are read, from the one with the first bit.
inline std::uint32_t bits_at(const std::byte* bytes, std::uint64_t bit, std::uint32_t width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  return static_cast<std::uint32_t>(load_le<std::uint64_t>(bytes + bit / 8) >> bit % 8 & mask);
}

// Number `index` of a full block in four lanes (docs/formats/simd-bp128.md). words: the block's; none behind the number
// is read.
FROND_HOST_DEVICE inline std::uint32_t vertical_number(const std::uint32_t* words, std::uint32_t index,
                                                       std::uint32_t width) {
  const std::uint32_t bit = index / 4 * width, lane = index % 4, shift = bit % 32;
  const std::uint32_t* word = words + bit / 32 * 4 + lane;
  std::uint32_t value = word[0] >> shift;
  if (shift + width > 32) value |= word[4] << (32 - shift);
  return width < 32 ? value & ((std::uint32_t{1} << width) - 1) : value;
}

}  // namespace frond::codec
