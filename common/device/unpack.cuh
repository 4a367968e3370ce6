#pragma once
// Numbers of one width for a whole block, four a lane, in the layouts that the codecs pack them in. width is the same
// in all lanes, 0 .. 32.
#include "common/device/warp.cuh"

namespace frond::device {

__device__ inline std::uint32_t mask_of(std::uint32_t width) { return width == 0 ? 0 : 0xffffffffu >> (32 - width); }
// A full block as simd-bp128 packs it (docs/formats/simd-bp128.md): number j in lane j % 4 of four, at bit (j / 4)
// * width; a GPU lane's four are at one bit of one 16-byte row. block: on 16 bytes; one row behind it is readable.
__device__ inline Four unpack_rows(const std::uint32_t* block, std::uint32_t width, std::uint32_t lane) {
  const std::uint32_t bit = lane * width, shift = bit % 32, mask = mask_of(width);
  const auto* row = reinterpret_cast<const uint4*>(block) + bit / 32;
  const uint4 low = __ldg(row);
  uint4 high = low;
  if (shift + width > 32) high = __ldg(row + 1);
  return Four{{__funnelshift_r(low.x, high.x, shift) & mask, __funnelshift_r(low.y, high.y, shift) & mask,
               __funnelshift_r(low.z, high.z, shift) & mask, __funnelshift_r(low.w, high.w, shift) & mask}};
}

// The same of a block that begins on 4 bytes.
__device__ inline Four unpack_rows_of_words(const std::uint32_t* block, std::uint32_t width, std::uint32_t lane) {
  const std::uint32_t bit = lane * width, shift = bit % 32, mask = mask_of(width);
  const std::uint32_t* row = block + std::size_t{bit / 32} * 4;
  const std::uint32_t* next = shift + width > 32 ? row + 4 : row;
  Four numbers;
  for (int i = 0; i < 4; ++i) numbers.at[i] = __funnelshift_r(__ldg(row + i), __ldg(next + i), shift) & mask;
  return numbers;
}

// Four numbers one after the other in a bit string (horizontal.h), from bit `bit` on. Up to five words are read.
__device__ inline Four unpack_string(const std::uint32_t* words, std::uint32_t bit, std::uint32_t width) {
  const std::uint32_t* from = words + bit / 32;
  const std::uint32_t shift = bit % 32, mask = mask_of(width);
  const std::uint32_t first = __ldg(from), second = __ldg(from + 1);
  const std::uint32_t a = __funnelshift_r(first, second, shift);
  if (width <= 8) return Four{{a & mask, a >> width & mask, a >> 2 * width & mask, a >> 3 * width & mask}};
  const std::uint32_t third = __ldg(from + 2), b = __funnelshift_r(second, third, shift);
  if (width <= 16) {
    const std::uint32_t last = 3 * width < 32 ? __funnelshift_r(a, b, 3 * width) : b >> (3 * width - 32);
    return Four{{a & mask, a >> width & mask, __funnelshift_rc(a, b, 2 * width) & mask, last & mask}};
  }
  const std::uint32_t fourth = __ldg(from + 3), fifth = __ldg(from + 4);
  const std::uint32_t c = __funnelshift_r(third, fourth, shift), d = __funnelshift_r(fourth, fifth, shift);
  const std::uint32_t last =
      3 * width < 64 ? __funnelshift_r(b, c, 3 * width - 32) : __funnelshift_rc(c, d, 3 * width - 64);
  return Four{
      {a & mask, __funnelshift_rc(a, b, width) & mask, __funnelshift_rc(b, c, 2 * width - 32) & mask, last & mask}};
}

}  // namespace frond::device
