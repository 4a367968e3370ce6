#include "common/text/prefix_scan.h"

#include <cstring>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/text/prefix_scan.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::text::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;
constexpr std::size_t kGuard = 64;  // readable bytes past a part: kMaxPairReach, in whole vectors
static_assert(kMaxPairReach < kGuard && kScanBytes % 64 == 0);

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

// Sets bits[] to where one of kPairs pairs is. Returns whether a byte is >= 0x80. `size`: a multiple of 64.
template <std::size_t kPairs>
bool find_group(const std::uint8_t* text, std::size_t size, const BytePair* pairs, std::uint64_t* bits) {
  const Bytes bytes;
  const auto bit = hn::Set(bytes, 0x20);
  const auto value = [&](std::uint8_t byte) { return hn::Set(bytes, static_cast<std::uint8_t>(byte | 0x20)); };
  const auto found_at = [&](const std::uint8_t* at, const BytePair& pair, auto first, auto second) {
    return hn::And(hn::Eq(hn::Or(hn::LoadU(bytes, at + pair.first_at), bit), first),
                   hn::Eq(hn::Or(hn::LoadU(bytes, at + pair.second_at), bit), second));
  };
  constexpr std::size_t k1 = kPairs > 1 ? 1 : 0, k2 = kPairs > 2 ? 2 : 0, k3 = kPairs > 3 ? 3 : 0;
  const BytePair p0 = pairs[0], p1 = pairs[k1], p2 = pairs[k2], p3 = pairs[k3];
  const auto a0 = value(p0.first), b0 = value(p0.second), a1 = value(p1.first), b1 = value(p1.second);
  const auto a2 = value(p2.first), b2 = value(p2.second), a3 = value(p3.first), b3 = value(p3.second);
  auto all = hn::Zero(bytes);
  for (std::size_t i = 0; i < size; i += hn::Lanes(bytes)) {
    const std::uint8_t* const at = text + i;
    all = hn::Or(all, hn::LoadU(bytes, at));
    auto any = found_at(at, p0, a0, b0);
    if constexpr (kPairs > 1) any = hn::Or(any, found_at(at, p1, a1, b1));
    if constexpr (kPairs > 2) any = hn::Or(any, found_at(at, p2, a2, b2));
    if constexpr (kPairs > 3) any = hn::Or(any, found_at(at, p3, a3, b3));
    store_bits(bytes, any, i, bits);
  }
  const auto high = hn::Set(bytes, 0x80);
  return !hn::AllFalse(bytes, hn::Eq(hn::And(all, high), high));
}

bool find_some(const std::uint8_t* text, std::size_t size, const BytePair* pairs, std::size_t count,
               std::uint64_t* bits) {
  if (count == 1) return find_group<1>(text, size, pairs, bits);
  if (count == 2) return find_group<2>(text, size, pairs, bits);
  if (count == 3) return find_group<3>(text, size, pairs, bits);
  return find_group<4>(text, size, pairs, bits);
}

bool find_pairs_target(const char* text, std::size_t left, const BytePair* pairs, std::size_t count,
                       std::uint64_t* bits) {
  std::uint8_t end[kScanBytes + kGuard];
  auto* from = reinterpret_cast<const std::uint8_t*>(text);
  std::size_t size = kScanBytes;
  if (left < sizeof(end)) {  // with zeros behind it, which become spaces
    size = (left < kScanBytes ? left + 63 : kScanBytes) / 64 * 64;
    std::memcpy(end, text, left);
    if (left < size + kGuard) std::memset(end + left, 0, size + kGuard - left);
    from = end;
  }
  const bool high = find_some(from, size, pairs, count < 4 ? count : 4, bits);
  for (std::size_t done = 4; done < count; done += 4) {
    std::uint64_t more[kScanBytes / 64];
    find_some(from, size, pairs + done, count - done < 4 ? count - done : 4, more);
    for (std::size_t block = 0; block < size / 64; ++block) bits[block] |= more[block];
  }
  if (left < size) bits[left / 64] &= (std::uint64_t{1} << left % 64) - 1;
  return high;
}

}  // namespace frond::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::text {

HWY_EXPORT(find_pairs_target);

bool find_pairs(std::string_view text, std::size_t from, std::span<const BytePair> pairs, std::uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(find_pairs_target)(text.data() + from, text.size() - from, pairs.data(), pairs.size(),
                                                 bits);
}

}  // namespace frond::text
#endif
