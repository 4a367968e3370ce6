// Unpacks blocks with AVX-512 VBMI2, sixteen numbers at a time. This file is compiled for such processors, so all its
// functions have internal linkage, except the one that asks whether the processor has it.

#include "common/codec/bits/vertical.h"

#ifdef __AVX512VBMI2__
#include <immintrin.h>

namespace frond::codec {
namespace {

#define FROND_INLINE inline __attribute__((always_inline))

// The low halves of (high:low) >> shifts, shifts below 32. Not with the one instruction for it: clang 14 computes it
// wrongly if the shifts are constants (at -O1 and above).
FROND_INLINE __m512i shift_right_pairs(__m512i low, __m512i high, __m512i shifts) {
#ifdef __clang__
  const __m512i left = _mm512_sub_epi32(_mm512_set1_epi32(32), shifts);  // by 32: nothing is left
  return _mm512_or_si512(_mm512_srlv_epi32(low, shifts), _mm512_sllv_epi32(high, left));
#else
  return _mm512_shrdv_epi32(low, high, shifts);
#endif
}

// Four rows of four numbers begin at most three words of a lane apart: each is put where its 128 bits belong, with the
// word behind it, and both are shifted as one. The last rows read up to 64 bytes behind the block, and drop them.
template <unsigned kWidth, unsigned kGroup>
FROND_INLINE __m512i group(const std::byte* block) {
  if constexpr (kWidth == 0) {
    return _mm512_setzero_si512();
  } else if constexpr (kWidth == 32) {
    return _mm512_loadu_si512(block + 64 * kGroup);
  } else {
    constexpr unsigned kBit = kGroup * 4 * kWidth, kFirst = kBit / 32;
    constexpr unsigned kWord1 = (kBit + kWidth) / 32 - kFirst, kWord2 = (kBit + 2 * kWidth) / 32 - kFirst,
                       kWord3 = (kBit + 3 * kWidth) / 32 - kFirst;
    constexpr int kPlaces = static_cast<int>(kWord1 << 2 | kWord2 << 4 | kWord3 << 6);
    constexpr int kShift0 = kBit % 32, kShift1 = (kBit + kWidth) % 32, kShift2 = (kBit + 2 * kWidth) % 32,
                  kShift3 = (kBit + 3 * kWidth) % 32;
    const __m512i shifts = _mm512_setr_epi32(kShift0, kShift0, kShift0, kShift0, kShift1, kShift1, kShift1, kShift1,
                                             kShift2, kShift2, kShift2, kShift2, kShift3, kShift3, kShift3, kShift3);
    const __m512i words = _mm512_loadu_si512(block + 16 * kFirst);
    const __m512i low = _mm512_shuffle_i32x4(words, words, kPlaces);
    __m512i value;
    constexpr unsigned kInt = kWidth;
    if constexpr (kShift0 + kInt > 32 || kShift1 + kInt > 32 || kShift2 + kInt > 32 || kShift3 + kInt > 32) {
      const __m512i behind = _mm512_loadu_si512(block + 16 * (kFirst + 1));
      value = shift_right_pairs(low, _mm512_shuffle_i32x4(behind, behind, kPlaces), shifts);
    } else {
      value = _mm512_srlv_epi32(low, shifts);
    }
    return _mm512_and_si512(value, _mm512_set1_epi32(static_cast<int>((1u << kWidth) - 1)));
  }
}

template <unsigned kWidth, unsigned kGroup>
FROND_INLINE void docid_group(const std::byte* block, __m512i& sum, std::uint32_t* out) {
  __m512i value = group<kWidth, kGroup>(block);
  value = _mm512_add_epi32(value, _mm512_bslli_epi128(value, 4));
  value = _mm512_add_epi32(value, _mm512_bslli_epi128(value, 8));
  // Rows are summed; now the row before is added to every other row, then the half before to the half behind.
  const __m512i lane3 = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 11, 11, 11, 11);
  value = _mm512_mask_add_epi32(value, 0xf0f0, value, _mm512_permutexvar_epi32(lane3, value));
  value = _mm512_mask_add_epi32(value, 0xff00, value, _mm512_permutexvar_epi32(_mm512_set1_epi32(7), value));
  const __m512i ordinal = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  value = _mm512_add_epi32(value, ordinal);
  _mm512_storeu_si512(out + 16 * kGroup, _mm512_add_epi32(value, sum));
  sum = _mm512_add_epi32(sum, _mm512_permutexvar_epi32(_mm512_set1_epi32(15), value));
}

template <unsigned kWidth, unsigned... kGroups>
FROND_INLINE void docid_groups(const std::byte* block, __m512i sum, std::uint32_t* out,
                               std::integer_sequence<unsigned, kGroups...>) {
  (docid_group<kWidth, kGroups>(block, sum, out), ...);
}
template <unsigned kWidth, unsigned... kGroups>
FROND_INLINE void frequency_groups(const std::byte* block, std::uint32_t* out,
                                   std::integer_sequence<unsigned, kGroups...>) {
  (_mm512_storeu_si512(out + 16 * kGroups, _mm512_add_epi32(group<kWidth, kGroups>(block), _mm512_set1_epi32(1))), ...);
}

using Groups = std::make_integer_sequence<unsigned, 8>;

template <unsigned kWidth>
void unpack_docids(const std::byte* block, std::uint32_t before, std::uint32_t* out) {
  docid_groups<kWidth>(block, _mm512_set1_epi32(static_cast<int>(before)), out, Groups{});
}
template <unsigned kWidth>
void unpack_frequencies(const std::byte* block, std::uint32_t, std::uint32_t* out) {
  frequency_groups<kWidth>(block, out, Groups{});
}

template <unsigned... kWidths>
constexpr UnpackTable table_of(std::integer_sequence<unsigned, kWidths...>) {
  return {{unpack_docids<kWidths>...}, {unpack_frequencies<kWidths>...}};
}
constexpr UnpackTable kAvx512 = table_of(std::make_integer_sequence<unsigned, 33>{});

}  // namespace

const UnpackTable* avx512_unpack() {
  const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
  return here ? &kAvx512 : nullptr;
}

}  // namespace frond::codec

#else

namespace frond::codec {
const UnpackTable* avx512_unpack() { return nullptr; }
}  // namespace frond::codec

#endif
