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

// Copies `size` bytes, a multiple of 64, with bit 0x20 set. Returns whether one of them is >= 0x80.
bool fold(const std::uint8_t* from, std::size_t size, std::uint8_t* to) {
  const Bytes bytes;
  const auto bit = hn::Set(bytes, 0x20);
  auto all = hn::Zero(bytes);
  for (std::size_t at = 0; at < size; at += hn::Lanes(bytes)) {
    const auto folded = hn::Or(hn::LoadU(bytes, from + at), bit);
    all = hn::Or(all, folded);
    hn::Store(folded, bytes, to + at);
  }
  const auto high = hn::Set(bytes, 0x80);
  return !hn::AllFalse(bytes, hn::Eq(hn::And(all, high), high));
}

// ORs into bits[] where one of kPairs pairs is.
template <std::size_t kPairs>
void find_group(const std::uint8_t* folded, std::size_t size, const BytePair* pairs, std::uint64_t* bits) {
  const Bytes bytes;
  const auto value = [&](std::uint8_t byte) { return hn::Set(bytes, static_cast<std::uint8_t>(byte | 0x20)); };
  const auto found_at = [&](const std::uint8_t* at, const BytePair& pair, auto first, auto second) {
    return hn::And(hn::Eq(hn::LoadU(bytes, at + pair.first_at), first),
                   hn::Eq(hn::LoadU(bytes, at + pair.second_at), second));
  };
  constexpr std::size_t k1 = kPairs > 1 ? 1 : 0, k2 = kPairs > 2 ? 2 : 0, k3 = kPairs > 3 ? 3 : 0;
  const BytePair p0 = pairs[0], p1 = pairs[k1], p2 = pairs[k2], p3 = pairs[k3];
  const auto a0 = value(p0.first), b0 = value(p0.second), a1 = value(p1.first), b1 = value(p1.second);
  const auto a2 = value(p2.first), b2 = value(p2.second), a3 = value(p3.first), b3 = value(p3.second);
  for (std::size_t block = 0; block < size; block += 64) {
    std::uint8_t found[8] = {};
    for (std::size_t i = 0; i < 64; i += hn::Lanes(bytes)) {
      const std::uint8_t* const at = folded + block + i;
      auto any = found_at(at, p0, a0, b0);
      if constexpr (kPairs > 1) any = hn::Or(any, found_at(at, p1, a1, b1));
      if constexpr (kPairs > 2) any = hn::Or(any, found_at(at, p2, a2, b2));
      if constexpr (kPairs > 3) any = hn::Or(any, found_at(at, p3, a3, b3));
      if constexpr (HWY_TARGET == HWY_SCALAR) {  // one byte a vector
        if (!hn::AllFalse(bytes, any)) found[i / 8] |= static_cast<std::uint8_t>(1u << i % 8);
      } else {
        hn::StoreMaskBits(bytes, any, found + i / 8);
      }
    }
    std::uint64_t word = 0;
    std::memcpy(&word, found, sizeof(word));
    bits[block / 64] |= word;
  }
}

void find_all(const std::uint8_t* folded, std::size_t size, const BytePair* pairs, std::size_t count,
              std::uint64_t* bits) {
  for (; count >= 4; pairs += 4, count -= 4) find_group<4>(folded, size, pairs, bits);
  if (count == 3) find_group<3>(folded, size, pairs, bits);
  if (count == 2) find_group<2>(folded, size, pairs, bits);
  if (count == 1) find_group<1>(folded, size, pairs, bits);
}

void find_pairs_target(const char* text, std::size_t left, const BytePair* pairs, std::size_t count,
                       const BytePair* rare, std::size_t rare_count, std::uint64_t* bits) {
  HWY_ALIGN std::uint8_t folded[kScanBytes + kGuard];
  std::size_t size = kScanBytes;
  bool high = false;
  if (left >= sizeof(folded)) {
    high = fold(reinterpret_cast<const std::uint8_t*>(text), sizeof(folded), folded);
  } else {
    // With zeros behind it, which become spaces.
    std::uint8_t end[sizeof(folded)];
    size = (left < kScanBytes ? left + 63 : kScanBytes) / 64 * 64;
    std::memcpy(end, text, left);
    std::memset(end + left, 0, size + kGuard - left);
    high = fold(end, size + kGuard, folded);
  }
  std::memset(bits, 0, size / 8);
  find_all(folded, size, pairs, count, bits);
  if (high) find_all(folded, size, rare, rare_count, bits);
  if (left < size) bits[left / 64] &= (std::uint64_t{1} << left % 64) - 1;
}

}  // namespace frond::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::text {

HWY_EXPORT(find_pairs_target);

void find_pairs(std::string_view text, std::size_t from, std::span<const BytePair> pairs,
                std::span<const BytePair> rare, std::uint64_t* bits) {
  HWY_DYNAMIC_DISPATCH(find_pairs_target)
  (text.data() + from, text.size() - from, pairs.data(), pairs.size(), rare.data(), rare.size(), bits);
}

}  // namespace frond::text
#endif
