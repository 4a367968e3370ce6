#include "common/codec/bits/horizontal.h"

#include <bit>

#include "common/codec/bits/packed_number.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again. AVX3_DL shifts two words as one.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/bits/horizontal.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {

void unpack_horizontal_target(const std::byte* in, unsigned width, std::uint32_t* out, std::uint32_t count) {
#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE
  namespace hn = hwy::HWY_NAMESPACE;
  // As many numbers as there are lanes take whole bytes and fit into one vector of them: each lane picks the word that
  // its number begins in and the word after, and shifts.
  const hn::CappedTag<std::uint32_t, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto bit = hn::Mul(hn::Iota(d, 0u), hn::Set(d, width));
  const auto first = hn::ShiftRight<5>(bit), shift = hn::And(bit, hn::Set(d, 31u));
  // A number in the vector's last word ends with it, so no word after it is needed.
  const auto second = hn::Min(hn::Add(first, hn::Set(d, 1u)), hn::Set(d, static_cast<std::uint32_t>(lanes - 1)));
  const auto first_lanes = hn::IndicesFromVec(d, first), second_lanes = hn::IndicesFromVec(d, second);
  const auto mask = hn::Set(d, static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1));
#if HWY_TARGET != HWY_AVX3_DL
  const auto back = hn::Sub(hn::Set(d, 31u), shift);
#endif
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto words = hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(in + i / 8 * width));
    const auto low = hn::TableLookupLanes(words, first_lanes), high = hn::TableLookupLanes(words, second_lanes);
#if HWY_TARGET == HWY_AVX3_DL
    const hn::Vec<decltype(d)> number{_mm512_shrdv_epi32(low.raw, high.raw, shift.raw)};
#else
    const auto number = hn::Or(hn::Shr(low, shift), hn::Shl(hn::ShiftLeft<1>(high), back));
#endif
    hn::StoreU(hn::And(number, mask), d, out + i);
  }
#else
  std::uint32_t i = 0;
  for (; i + 32 <= count; i += 32) unpack_32(in + i / 8 * width, width, out + i);
  for (std::uint64_t bit = std::uint64_t{i} * width; i < count; ++i, bit += width) out[i] = bits_at(in, bit, width);
#endif
}

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(unpack_horizontal_target);

unsigned width_of(std::span<const std::uint32_t> numbers) {
  std::uint32_t all = 0;
  for (const std::uint32_t number : numbers) all |= number;
  return static_cast<unsigned>(std::bit_width(all));
}

void pack_horizontal(std::span<const std::uint32_t> numbers, unsigned width, ByteBuffer& out) {
  std::size_t at = out.size();
  out.resize(at + (numbers.size() * width + 31) / 32 * 4);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t bits = 0;  // fewer than 32 of them, not yet stored
  unsigned waiting = 0;
  for (const std::uint32_t number : numbers) {
    bits |= (number & mask) << waiting;
    waiting += width;
    if (waiting >= 32) {
      store_le(out.data() + at, static_cast<std::uint32_t>(bits));
      at += 4;
      bits >>= 32;
      waiting -= 32;
    }
  }
  if (waiting > 0) store_le(out.data() + at, static_cast<std::uint32_t>(bits));
}

void unpack_horizontal(const std::byte* in, unsigned width, std::uint32_t* out, std::uint32_t count) {
  HWY_DYNAMIC_DISPATCH(unpack_horizontal_target)(in, width, out, count);
}

}  // namespace frond::codec
#endif
