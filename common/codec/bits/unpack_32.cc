// A function for every width, fully unrolled: each number is one load, one shift and one mask.
#include <array>

#include "common/codec/bits/horizontal.h"

namespace frond::codec {
namespace {

template <unsigned kWidth, unsigned kIndex>
inline void one(const std::byte* in, std::uint32_t* out) {
  constexpr unsigned kBit = kIndex * kWidth, kByte = kBit / 32 * 4, kShift = kBit % 32;
  constexpr std::uint32_t kMask = static_cast<std::uint32_t>((std::uint64_t{1} << kWidth) - 1);
  if constexpr (kWidth == 0) {
    out[kIndex] = 0;
  } else if constexpr (kShift + kWidth <= 32) {
    out[kIndex] = load_le<std::uint32_t>(in + kByte) >> kShift & kMask;
  } else {
    out[kIndex] = static_cast<std::uint32_t>(load_le<std::uint64_t>(in + kByte) >> kShift) & kMask;
  }
}

template <unsigned kWidth, unsigned... kIndices>
inline void all(const std::byte* in, std::uint32_t* out, std::integer_sequence<unsigned, kIndices...>) {
  (one<kWidth, kIndices>(in, out), ...);
}
template <unsigned kWidth>
void unpack(const std::byte* in, std::uint32_t* out) {
  all<kWidth>(in, out, std::make_integer_sequence<unsigned, 32>{});
}

using Unpack = void (*)(const std::byte*, std::uint32_t*);
template <unsigned... kWidths>
constexpr std::array<Unpack, 33> table_of(std::integer_sequence<unsigned, kWidths...>) {
  return {unpack<kWidths>...};
}
constexpr std::array<Unpack, 33> kUnpack = table_of(std::make_integer_sequence<unsigned, 33>{});

}  // namespace

void unpack_32(const std::byte* in, unsigned width, std::uint32_t* out) { kUnpack[width](in, out); }

}  // namespace frond::codec
