#include "common/codec/bits/vertical_pack.h"

namespace frond::codec {

void simd_bp_pack(std::span<const std::uint32_t, kBlockLength> numbers, unsigned width, ByteBuffer& out) {
  // Whole rows of four are shifted in at once.
  std::uint32_t words[4 * 32 + 4] = {};
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (unsigned row = 0; row < kBlockLength / 4; ++row) {
    const unsigned bit = row * width, shift = bit % 32;
    std::uint32_t* word = words + bit / 32 * 4;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const std::uint64_t value = (numbers[4 * row + lane] & mask) << shift;
      word[lane] |= static_cast<std::uint32_t>(value);
      word[lane + 4] |= static_cast<std::uint32_t>(value >> 32);
    }
  }
  ByteWriter(out).put_bytes(std::as_bytes(std::span(words)).first(std::size_t{16} * width));
}

}  // namespace frond::codec
