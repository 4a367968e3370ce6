#pragma once
// Finds the one-bits of a bit string: the ends of the unary parts of a Rice code.
#include <cstddef>
#include <cstdint>

namespace frond::codec {

inline constexpr unsigned kUnaryBits = 384;             // the bits of a block are fewer
inline constexpr unsigned kOnesRoom = kUnaryBits + 80;  // room for positions: whole vectors are written

// Writes the positions of the one-bits among the `count` < kUnaryBits bits from bit `first` < 8 of `bytes` on, in
// ascending order, counted from bit 0 of bytes[0]. Returns how many there are. 64 bytes from `bytes` on are read; all
// of out[0 .. kOnesRoom) may be written.
using FindOnes = unsigned (*)(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);

unsigned baseline_find_ones(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);
FindOnes avx512_find_ones();  // null if not built in or this processor lacks it
// The fastest that this processor runs.
FindOnes find_ones();

}  // namespace frond::codec
