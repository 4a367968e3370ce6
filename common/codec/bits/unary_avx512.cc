// Finds one-bits with AVX-512 VBMI2, 64 bits at a time. This file is compiled for such processors, so all its functions
// have internal linkage, except the one that asks whether the processor has it.
#include "common/codec/bits/unary.h"

#ifdef __AVX512VBMI2__
#include <immintrin.h>

namespace frond::codec {
namespace {

unsigned find(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out) {
  const __m512i places =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40,
                      39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                      15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  unsigned found = 0;
  const unsigned end = first + count;
  unsigned long long mask = ~0ULL << first;
  for (unsigned base = 0; base < end; base += 64, mask = ~0ULL) {
    if (end - base < 64) mask &= ~(~0ULL << (end - base));
    unsigned long long word;
    __builtin_memcpy(&word, bytes + base / 8, sizeof word);
    word &= mask;
    const __m512i ones = _mm512_maskz_compress_epi8(word, places);
    const __m512i shift = _mm512_set1_epi16(static_cast<short>(base));
    const __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(ones));
    const __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(ones, 1));
    _mm512_storeu_si512(out + found, _mm512_add_epi16(low, shift));
    _mm512_storeu_si512(out + found + 32, _mm512_add_epi16(high, shift));
    found += static_cast<unsigned>(_mm_popcnt_u64(word));
  }
  return found;
}

}  // namespace

FindOnes avx512_find_ones() {
  const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  return here ? find : nullptr;
}

}  // namespace frond::codec

#else

namespace frond::codec {
FindOnes avx512_find_ones() { return nullptr; }
}  // namespace frond::codec

#endif
