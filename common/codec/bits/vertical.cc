#include "common/codec/bits/vertical.h"

#include <cstring>

#include "common/codec/bits/packed_number.h"
#include "common/codec/list_codec.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace frond::codec {
namespace {

#ifdef __SSE2__

#define FROND_INLINE inline __attribute__((always_inline))

// Row `kRow` of the block: numbers 4 * kRow .. + 3, one a lane.
template <unsigned kWidth, unsigned kRow>
FROND_INLINE __m128i row(const __m128i* in) {
  constexpr unsigned kBit = kRow * kWidth, kWord = kBit / 32, kShift = kBit % 32;
  if constexpr (kWidth == 0) {
    return _mm_setzero_si128();
  } else {
    __m128i value = _mm_srli_epi32(_mm_loadu_si128(in + kWord), kShift);
    if constexpr (kShift + kWidth > 32)
      value = _mm_or_si128(value, _mm_slli_epi32(_mm_loadu_si128(in + kWord + 1), 32 - kShift));
    if constexpr (kShift + kWidth != 32) value = _mm_and_si128(value, _mm_set1_epi32((1u << (kWidth % 32)) - 1));
    return value;
  }
}

// Adds up four distances behind `sum`, the docID before in every lane. Only one addition waits for the row before.
template <unsigned kWidth, unsigned kRow>
FROND_INLINE void docid_row(const __m128i* in, __m128i& sum, __m128i* out) {
  __m128i value = row<kWidth, kRow>(in);
  value = _mm_add_epi32(value, _mm_slli_si128(value, 4));
  value = _mm_add_epi32(value, _mm_slli_si128(value, 8));
  const __m128i last = _mm_add_epi32(_mm_shuffle_epi32(value, 0xff), _mm_set1_epi32(4));
  _mm_storeu_si128(out + kRow, _mm_add_epi32(_mm_add_epi32(value, _mm_setr_epi32(1, 2, 3, 4)), sum));
  sum = _mm_add_epi32(sum, last);
}

template <unsigned kWidth, unsigned... kRows>
FROND_INLINE void docid_rows(const __m128i* in, __m128i sum, __m128i* out, std::integer_sequence<unsigned, kRows...>) {
  (docid_row<kWidth, kRows>(in, sum, out), ...);
}
template <unsigned kWidth, unsigned... kRows>
FROND_INLINE void frequency_rows(const __m128i* in, __m128i* out, std::integer_sequence<unsigned, kRows...>) {
  (_mm_storeu_si128(out + kRows, _mm_add_epi32(row<kWidth, kRows>(in), _mm_set1_epi32(1))), ...);
}

using Rows = std::make_integer_sequence<unsigned, 32>;

template <unsigned kWidth>
void unpack_docids(const std::byte* block, std::uint32_t before, std::uint32_t* out) {
  docid_rows<kWidth>(reinterpret_cast<const __m128i*>(block), _mm_set1_epi32(static_cast<int>(before)),
                     reinterpret_cast<__m128i*>(out), Rows{});
}
template <unsigned kWidth>
void unpack_frequencies(const std::byte* block, std::uint32_t, std::uint32_t* out) {
  frequency_rows<kWidth>(reinterpret_cast<const __m128i*>(block), reinterpret_cast<__m128i*>(out), Rows{});
}

#else  // any other processor: the definition, one number at a time

template <unsigned kWidth>
void unpack_docids(const std::byte* block, std::uint32_t before, std::uint32_t* out) {
  std::uint32_t words[4 * 32 + 4] = {};
  std::memcpy(words, block, 16 * kWidth);
  for (std::uint32_t i = 0; i < kBlockLength; ++i)
    out[i] = before += (kWidth ? vertical_number(words, i, kWidth) : 0) + 1;
}
template <unsigned kWidth>
void unpack_frequencies(const std::byte* block, std::uint32_t, std::uint32_t* out) {
  std::uint32_t words[4 * 32 + 4] = {};
  std::memcpy(words, block, 16 * kWidth);
  for (std::uint32_t i = 0; i < kBlockLength; ++i) out[i] = (kWidth ? vertical_number(words, i, kWidth) : 0) + 1;
}

#endif

template <unsigned... kWidths>
constexpr UnpackTable table_of(std::integer_sequence<unsigned, kWidths...>) {
  return {{unpack_docids<kWidths>...}, {unpack_frequencies<kWidths>...}};
}
constexpr UnpackTable kBaseline = table_of(std::make_integer_sequence<unsigned, 33>{});

}  // namespace

const UnpackTable& baseline_unpack() { return kBaseline; }

const UnpackTable& unpack_table() {
  static const UnpackTable& table = avx512_unpack() ? *avx512_unpack() : kBaseline;
  return table;
}

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
