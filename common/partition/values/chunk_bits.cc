#include "common/partition/values/chunk_bits.h"

#include <algorithm>
#include <bit>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/partition/values/chunk_bits.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::partition::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors are loaded as bytes, since codes may lie at any address.
template <class D>
hn::VFromD<D> load_codes(D d, const std::byte* at) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, load_le<hn::TFromD<D>>(at));
#else
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(at)));
#endif
}

template <class Number>
void find_numbers(const std::byte* codes, std::uint32_t words, Number first, Number span, std::uint64_t* found) {
  const hn::CappedTag<Number, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto low = hn::Set(d, first), most = hn::Set(d, span);
  for (std::uint32_t word = 0; word < words; ++word) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; i += lanes) {
      const auto above = hn::Sub(load_codes(d, codes + (word * std::size_t{64} + i) * sizeof(Number)), low);
      std::uint64_t some = 0;
      hn::StoreMaskBits(d, hn::Eq(hn::Min(above, most), above), reinterpret_cast<std::uint8_t*>(&some));
      bits |= some << i;
    }
    found[word] = bits;
  }
}

// `words` words of 64 codes.
void find_codes_target(const std::byte* codes, std::uint32_t width, std::uint32_t words, std::uint64_t first,
                       std::uint64_t span, std::uint64_t* found) {
  if (width == 1)
    find_numbers(codes, words, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(span), found);
  else if (width == 2)
    find_numbers(codes, words, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(span), found);
  else if (width == 4)
    find_numbers(codes, words, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(span), found);
  else
    find_numbers(codes, words, first, span, found);
}

template <class Number>
std::uint32_t take_numbers(const std::byte* codes, std::uint32_t words, const std::uint64_t* documents,
                           std::uint32_t* out) {
  constexpr std::size_t kFew = 6;  // so many are taken one by one
  const hn::CappedTag<std::uint32_t, 64> u32;
  const hn::Rebind<Number, decltype(u32)> narrow;
  const std::size_t lanes = hn::Lanes(u32);
  std::uint32_t* to = out;
  for (std::uint32_t word = 0; word < words; ++word) {
    std::uint64_t bits = documents[word];
    const std::byte* const from = codes + word * std::size_t{64} * sizeof(Number);
    if (hwy::PopCount(bits) <= kFew) {
      for (; bits != 0; bits &= bits - 1)
        *to++ = load_le<Number>(from + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits) * sizeof(Number));
      continue;
    }
    for (std::size_t i = 0; i < 64; i += lanes) {
      const std::uint64_t some = bits >> i;
      const auto mask = hn::LoadMaskBits(u32, reinterpret_cast<const std::uint8_t*>(&some));
      const auto number = hn::PromoteTo(u32, load_codes(narrow, from + i * sizeof(Number)));
      // Compress in a register, then store it whole: a compressing store is slow on some processors.
      hn::StoreU(hn::Compress(number, mask), u32, to);
      to += hn::CountTrue(u32, mask);
    }
  }
  return static_cast<std::uint32_t>(to - out);
}

std::uint32_t take_codes_target(const std::byte* codes, std::uint32_t width, std::uint32_t words,
                                const std::uint64_t* documents, std::uint32_t* out) {
  if (width == 1) return take_numbers<std::uint8_t>(codes, words, documents, out);
  if (width == 2) return take_numbers<std::uint16_t>(codes, words, documents, out);
  // Of four bytes nothing is widened.
  std::uint32_t* to = out;
  for (std::uint32_t word = 0; word < words; ++word)
    for (std::uint64_t bits = documents[word]; bits != 0; bits &= bits - 1)
      *to++ = load_le<std::uint32_t>(codes + (word * std::size_t{64} + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)) * 4);
  return static_cast<std::uint32_t>(to - out);
}

}  // namespace frond::partition::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::partition {

HWY_EXPORT(find_codes_target);
HWY_EXPORT(take_codes_target);

void find_codes(const ValueColumn::Chunk& chunk, std::uint32_t word, std::uint32_t words, std::uint64_t first,
                std::uint64_t last, std::uint64_t* found) {
  std::fill_n(found, words, 0);
  last = std::min(last, chunk.greatest - chunk.least);
  if (words == 0 || first > last) return;
  // Past the last document the bytes are others.
  const std::uint32_t whole = std::min(words, chunk.documents / 64 - word);
  if (chunk.width == 0)
    std::fill_n(found, whole, ~std::uint64_t{0});
  else
    HWY_DYNAMIC_DISPATCH(find_codes_target)
  (chunk.codes + std::size_t{word} * 64 * chunk.width, chunk.width, whole, first, last - first, found);
  for (std::uint32_t i = whole; i < words; ++i)
    for (std::uint32_t document = (word + i) * 64; document < chunk.documents; ++document)
      found[i] |= std::uint64_t{chunk.code(document) - first <= last - first} << document % 64;
}

std::uint32_t take_codes(const ValueColumn::Chunk& chunk, const std::uint64_t* documents, std::uint32_t* codes) {
  const std::uint32_t whole = chunk.documents / 64;
  std::uint32_t count = 0;
  if (chunk.width != 0)
    count = HWY_DYNAMIC_DISPATCH(take_codes_target)(chunk.codes, chunk.width, whole, documents, codes);
  else
    for (std::uint32_t i = 0; i < whole; ++i)
      for (int left = std::popcount(documents[i]); left > 0; --left) codes[count++] = 0;
  if (chunk.documents % 64 == 0) return count;
  for (std::uint64_t bits = documents[whole]; bits != 0; bits &= bits - 1)
    codes[count++] =
        static_cast<std::uint32_t>(chunk.code(whole * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))));
  return count;
}

}  // namespace frond::partition
#endif
