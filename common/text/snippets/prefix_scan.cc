#include "common/text/snippets/wanted_words.h"

#include <bit>
#include <cstring>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/text/snippets/prefix_scan.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::text::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;
constexpr std::size_t kGuard = 64;  // readable bytes past a part: kMaxReach, in whole vectors
static_assert(kMaxReach < kGuard && kScanBytes % 64 == 0);

// Stores the bits of a vector's mask, whose first byte is number `at`.
template <class Mask>
void store_bits(Bytes bytes, Mask mask, std::size_t at, std::uint64_t* bits) {
  auto* const to = reinterpret_cast<std::uint8_t*>(bits) + at / 8;
  if constexpr (HWY_TARGET == HWY_SCALAR) {  // one byte a vector
    const auto bit = static_cast<std::uint8_t>(1u << at % 8);
    *to = static_cast<std::uint8_t>(hn::AllFalse(bytes, mask) ? *to & ~bit : *to | bit);
  } else {
    hn::StoreMaskBits(bytes, mask, to);
  }
}

// Sets bits[] to where one of kCount triples is, and high[] to where a byte is >= 0x80. Returns whether one is. `size`:
// a multiple of 64.
template <std::size_t kCount>
bool find_group(const std::uint8_t* text, std::size_t size, const ByteTriple* triples, std::uint64_t* bits,
                std::uint64_t* high) {
  const Bytes bytes;
  const auto bit = hn::Set(bytes, 0x20), top = hn::Set(bytes, 0x80);
  const auto is_high = [&](auto some) { return hn::TestBit(some, top); };
  const auto value = [&](std::uint8_t byte) { return hn::Set(bytes, static_cast<std::uint8_t>(byte | 0x20)); };
  const auto found_at = [&](const std::uint8_t* at, const ByteTriple& triple, auto first, auto second, auto third) {
    const auto is = [&](std::size_t i, auto wanted) {
      return hn::Eq(hn::Or(hn::LoadU(bytes, at + triple.at[i]), bit), wanted);
    };
    return hn::And(hn::And(is(0, first), is(1, second)), is(2, third));
  };
  constexpr std::size_t k1 = kCount > 1 ? 1 : 0, k2 = kCount > 2 ? 2 : 0, k3 = kCount > 3 ? 3 : 0;
  const ByteTriple t0 = triples[0], t1 = triples[k1], t2 = triples[k2], t3 = triples[k3];
  const auto a0 = value(t0.bytes[0]), b0 = value(t0.bytes[1]), c0 = value(t0.bytes[2]);
  const auto a1 = value(t1.bytes[0]), b1 = value(t1.bytes[1]), c1 = value(t1.bytes[2]);
  const auto a2 = value(t2.bytes[0]), b2 = value(t2.bytes[1]), c2 = value(t2.bytes[2]);
  const auto a3 = value(t3.bytes[0]), b3 = value(t3.bytes[1]), c3 = value(t3.bytes[2]);
  auto all = hn::Zero(bytes);
  for (std::size_t i = 0; i < size; i += hn::Lanes(bytes)) {
    const std::uint8_t* const at = text + i;
    const auto here = hn::LoadU(bytes, at);
    all = hn::Or(all, here);
    store_bits(bytes, is_high(here), i, high);
    auto any = found_at(at, t0, a0, b0, c0);
    if constexpr (kCount > 1) any = hn::Or(any, found_at(at, t1, a1, b1, c1));
    if constexpr (kCount > 2) any = hn::Or(any, found_at(at, t2, a2, b2, c2));
    if constexpr (kCount > 3) any = hn::Or(any, found_at(at, t3, a3, b3, c3));
    store_bits(bytes, any, i, bits);
  }
  return !hn::AllFalse(bytes, is_high(all));
}

bool find_some(const std::uint8_t* text, std::size_t size, const ByteTriple* triples, std::size_t count,
               std::uint64_t* bits, std::uint64_t* high) {
  if (count == 1) return find_group<1>(text, size, triples, bits, high);
  if (count == 2) return find_group<2>(text, size, triples, bits, high);
  if (count == 3) return find_group<3>(text, size, triples, bits, high);
  return find_group<4>(text, size, triples, bits, high);
}

bool find_triples_target(const char* text, std::size_t left, const ByteTriple* triples, std::size_t count,
                         std::uint64_t* bits, std::uint64_t* high) {
  std::uint8_t end[kScanBytes + kGuard];
  auto* from = reinterpret_cast<const std::uint8_t*>(text);
  std::size_t size = kScanBytes;
  if (left < sizeof(end)) {  // with zeros behind it, which become spaces
    size = (left < kScanBytes ? left + 63 : kScanBytes) / 64 * 64;
    std::memcpy(end, text, left);
    if (left < size + kGuard) std::memset(end + left, 0, size + kGuard - left);
    from = end;
  }
  const bool any_high = find_some(from, size, triples, count < 4 ? count : 4, bits, high);
  for (std::size_t done = 4; done < count; done += 4) {
    std::uint64_t more[kScanBytes / 64];
    find_some(from, size, triples + done, count - done < 4 ? count - done : 4, more, high);
    for (std::size_t block = 0; block < size / 64; ++block) bits[block] |= more[block];
  }
  if (left < size) bits[left / 64] &= (std::uint64_t{1} << left % 64) - 1;
  return any_high;
}

}  // namespace frond::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::text {

HWY_EXPORT(find_triples_target);

bool find_triples(std::string_view text, std::size_t from, std::span<const ByteTriple> triples, ScanBits& found,
                  ScanBits& high) {
  return HWY_DYNAMIC_DISPATCH(find_triples_target)(text.data() + from, text.size() - from, triples.data(),
                                                   triples.size(), found.data(), high.data());
}

std::span<const std::uint16_t> places_of(const ScanBits& bits, std::size_t blocks, ScanPlaces& places) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::uint64_t left = bits[i]; left != 0; left &= left - 1)
      places[count++] = static_cast<std::uint16_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  return std::span(places).first(count);
}

}  // namespace frond::text
#endif
