#include "common/codec/differences.h"

#include <algorithm>

#include "common/codec/distances.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace frond::codec {
namespace {

void add_up(std::uint32_t* differences, DocId before) {
#ifdef __SSE2__
  // Only one addition waits for the row before.
  auto* rows = reinterpret_cast<__m128i*>(differences);
  __m128i sum = _mm_set1_epi32(static_cast<int>(before));
  for (unsigned row = 0; row < kBlockLength / 4; ++row) {
    __m128i value = _mm_loadu_si128(rows + row);
    value = _mm_add_epi32(value, _mm_slli_si128(value, 4));
    value = _mm_add_epi32(value, _mm_slli_si128(value, 8));
    const __m128i all = _mm_shuffle_epi32(value, 0xff);
    _mm_storeu_si128(rows + row, _mm_add_epi32(value, sum));
    sum = _mm_add_epi32(sum, all);
  }
#else
  for (unsigned i = 0; i < kBlockLength; ++i) differences[i] = before += differences[i];
#endif
}

}  // namespace

bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind, DocId before,
                              unsigned width) {
  if (kind == Numbers::kFrequencies)
    return width < 32 || std::find(differences.begin(), differences.end(), 0u) == differences.end();
  add_up(differences.data(), before);
  // 128 differences of 2^24 add up to less than 2^32: the sums have wrapped round just where the last one has.
  return width <= 24 ? before == kNoDoc || differences[kBlockLength - 1] > before : ascend(before, differences);
}

}  // namespace frond::codec
