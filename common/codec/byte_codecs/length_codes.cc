#include "common/codec/byte_codecs/length_codes.h"

#include <algorithm>
#include <bit>

#include "common/codec/distances.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again. AVX3_DL has the loads that expand bytes.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/byte_codecs/length_codes.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four numbers from the 16 bytes at `data`, of which their code byte says which are theirs.
HWY_INLINE void decode_four(std::uint8_t code, const std::uint8_t* data, std::uint32_t* out) {
#if HWY_TARGET == HWY_SCALAR
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned length = length_at(&code, i);
    out[i] = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(data)) & 0xffffffff >> (32 - 8 * length);
    data += length;
  }
#else
  const hn::FixedTag<std::uint8_t, 16> d;
  const auto places = hn::Load(d, kLengthCodeTables.shuffle[code].data());
  hn::StoreU(hn::TableLookupBytesOr0(hn::LoadU(d, data), places), d, reinterpret_cast<std::uint8_t*>(out));
#endif
}

// Adds kMore to each number. Returns a number of which the bits are set that are in one of them before.
template <std::uint32_t kMore>
HWY_INLINE std::uint32_t decode_length_coded_to(const std::byte* codes, const std::byte* data, std::uint32_t* out) {
#if HWY_TARGET == HWY_AVX3_DL
  // Two codes, a half of a code byte, to 8 bits that say which bytes of their two numbers there are: all at once.
  const __m512i wide = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)));
  const __m512i halves = _mm512_and_si512(_mm512_or_si512(wide, _mm512_slli_epi16(wide, 4)), _mm512_set1_epi16(0x0f0f));
  const __m512i two_numbers = _mm512_broadcast_i32x4(_mm_setr_epi8(0x11, 0x13, 0x17, 0x1f, 0x31, 0x33, 0x37, 0x3f, 0x71,
                                                                   0x73, 0x77, 0x7f, -0x0f, -0x0d, -0x09, -0x01));
  const __m512i there = _mm512_shuffle_epi8(two_numbers, halves);
  alignas(64) std::uint64_t masks[8], sizes[8];
  _mm512_store_si512(masks, there);
  _mm512_store_si512(sizes, _mm512_popcnt_epi64(there));
  __m512i all = _mm512_setzero_si512();
  for (unsigned i = 0; i < kBlockLength; i += 16) {
    const __m512i numbers = _mm512_maskz_expand_epi8(masks[i / 16], _mm512_loadu_si512(data));
    all = _mm512_or_si512(all, numbers);
    _mm512_storeu_si512(out + i, _mm512_add_epi32(numbers, _mm512_set1_epi32(kMore)));
    data += sizes[i / 16];
  }
  return static_cast<std::uint32_t>(_mm512_reduce_or_epi32(all));
#else
  std::uint32_t all = 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
  for (unsigned i = 0; i < kBlockLength; i += 4) {
    const auto code = static_cast<std::uint8_t>(codes[i / 4]);
    decode_four(code, bytes, out + i);
    bytes += kLengthCodeTables.bytes[code];
  }
  if constexpr (kMore != 0)
    for (unsigned i = 0; i < kBlockLength; ++i) {
      all |= out[i];
      out[i] += kMore;
    }
  return all;
#endif
}
void decode_length_coded_target(const std::byte* codes, const std::byte* data, std::uint32_t* out) {
  decode_length_coded_to<0>(codes, data, out);
}
std::uint32_t decode_one_more_target(const std::byte* codes, const std::byte* data, std::uint32_t* out) {
  return decode_length_coded_to<1>(codes, data, out);
}

// Sum of the codes of `size` bytes, a multiple of 32.
std::uint32_t sum_of_codes_target(const std::byte* codes, std::size_t size) {
#if HWY_TARGET == HWY_SCALAR
  constexpr std::uint64_t kPairs = 0x3333333333333333ULL, kFours = 0x0f0f0f0f0f0f0f0fULL,
                          kEights = 0x00ff00ff00ff00ffULL;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < size; i += 8) {
    const auto word = load_le<std::uint64_t>(codes + i);
    const std::uint64_t pairs = (word & kPairs) + (word >> 2 & kPairs);
    const std::uint64_t fours = (pairs & kFours) + (pairs >> 4 & kFours);
    total += ((fours & kEights) + (fours >> 8 & kEights)) * 0x0001000100010001ULL >> 48;
  }
  return static_cast<std::uint32_t>(total);
#else
  const hn::CappedTag<std::uint8_t, 32> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  alignas(16) static constexpr std::uint8_t kTwoCodes[16] = {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};
  const auto two_codes = hn::LoadDup128(d, kTwoCodes), low_bits = hn::Set(d, std::uint8_t{15});
  auto total = hn::Zero(d64);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(codes) + i);
    const auto low = hn::TableLookupBytes(two_codes, hn::And(bytes, low_bits));
    const auto high = hn::TableLookupBytes(two_codes, hn::ShiftRight<4>(bytes));
    total = hn::Add(total, hn::SumsOf8(hn::Add(low, high)));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d64, total)));
#endif
}

void decode_interleaved_target(const std::byte* data, std::uint32_t* out) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
  for (unsigned i = 0; i < kBlockLength; i += 4) {
    const std::uint8_t code = *bytes++;
    decode_four(code, bytes, out + i);
    bytes += kLengthCodeTables.bytes[code];
  }
}

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(decode_length_coded_target);
HWY_EXPORT(decode_one_more_target);
HWY_EXPORT(decode_interleaved_target);
HWY_EXPORT(sum_of_codes_target);

void append_length_coded(std::span<const std::uint32_t> numbers, ByteBuffer& codes, ByteBuffer& data) {
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    unsigned code = 0;
    for (std::size_t j = i; j < std::min(i + 4, numbers.size()); ++j) {
      const unsigned length = (static_cast<unsigned>(std::bit_width(numbers[j] | 1)) + 7) / 8;
      code |= (length - 1) << (2 * (j - i));
      const std::size_t at = data.size();
      data.resize(at + 4);
      store_le(data.data() + at, numbers[j]);
      data.resize(at + length);
    }
    codes.push_back(static_cast<std::byte>(code));
  }
}

std::uint32_t sum_of_lengths(ByteView codes) {
  const std::size_t most = codes.size() / 32 * 32;
  auto sum = static_cast<std::uint32_t>(codes.size()) * 4;  // a code is a length less one
  if (most > 0) sum += HWY_DYNAMIC_DISPATCH(sum_of_codes_target)(codes.data(), most);
  for (std::size_t i = most; i < codes.size(); ++i)
    sum += kLengthCodeTables.bytes[static_cast<std::uint8_t>(codes[i])] - 4u;
  return sum;
}

bool decode_length_coded(const std::byte* codes, const std::byte* data, Numbers kind, DocId before,
                         std::span<std::uint32_t, kBlockLength> out, std::uint32_t size) {
  if (kind == Numbers::kFrequencies) {
    if (HWY_DYNAMIC_DISPATCH(decode_one_more_target)(codes, data, out.data()) != 0xffffffff) [[likely]]
      return true;
    return std::find(out.begin(), out.begin() + size, 0u) == out.begin() + size;
  }
  HWY_DYNAMIC_DISPATCH(decode_length_coded_target)(codes, data, out.data());
  return from_distances(out, size, kind, before);
}
void decode_interleaved(const std::byte* data, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(decode_interleaved_target)(data, out);
}

}  // namespace frond::codec
#endif
