#include "common/codec/bits/unary.h"

#include <array>
#include <bit>
#include <cstring>

#include "common/base/bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace frond::codec {
namespace {

// A copy of the wanted bits, with zeros around them.
struct Words {
  std::uint64_t word[kUnaryBits / 64 + 2] = {};
  unsigned used;  // words with bits

  Words(const std::byte* bytes, unsigned first, unsigned count) : used((first + count + 63) / 64) {
    std::memcpy(word, bytes, kUnaryBits / 8 + 8);
    word[0] &= ~std::uint64_t{0} << first;
    const unsigned end = (first + count) % 64;
    if (end != 0) word[used - 1] &= ~(~std::uint64_t{0} << end);
  }
};

#ifdef __SSE2__

// For every byte the places of its ones, lowest first.
constexpr auto kPlaces = [] {
  std::array<std::array<std::uint8_t, 8>, 256> places{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, found = 0; bit < 8; ++bit)
      if (byte >> bit & 1) places[byte][found++] = static_cast<std::uint8_t>(bit);
  return places;
}();
constexpr auto kOnes = [] {
  std::array<std::uint8_t, 256> ones{};
  for (unsigned byte = 0; byte < 256; ++byte) ones[byte] = static_cast<std::uint8_t>(std::popcount(byte));
  return ones;
}();

unsigned find(const Words& words, std::uint16_t* out) {
  unsigned found = 0;
  for (unsigned w = 0; w < words.used; ++w) {
    std::uint64_t word = words.word[w];
    __m128i base = _mm_set1_epi16(static_cast<short>(64 * w));
    for (unsigned i = 0; i < 8; ++i, word >>= 8) {
      const auto byte = static_cast<std::uint8_t>(word);
      const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPlaces[byte].data()));
      const __m128i wide = _mm_add_epi16(_mm_unpacklo_epi8(places, _mm_setzero_si128()), base);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + found), wide);
      found += kOnes[byte];
      base = _mm_add_epi16(base, _mm_set1_epi16(8));
    }
  }
  return found;
}

#else  // any other processor: one after the other

unsigned find(const Words& words, std::uint16_t* out) {
  unsigned found = 0;
  for (unsigned w = 0; w < words.used; ++w)
    for (std::uint64_t word = words.word[w]; word != 0; word &= word - 1)
      out[found++] = static_cast<std::uint16_t>(64 * w + static_cast<unsigned>(std::countr_zero(word)));
  return found;
}

#endif

}  // namespace

unsigned baseline_find_ones(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out) {
  return find(Words(bytes, first, count), out);
}

FindOnes find_ones() {
  static const FindOnes best = avx512_find_ones() ? avx512_find_ones() : baseline_find_ones;
  return best;
}

}  // namespace frond::codec
