#pragma once
// Where the one-bits of a bit string are: the unary parts of a block of the codec "rice".
#include <cstddef>
#include <cstdint>

namespace frond::codec {

inline constexpr unsigned kUnaryBits = 384;             // at most, of a block
inline constexpr unsigned kOnesRoom = kUnaryBits + 80;  // room for positions: whole vectors are written

// Writes the places of the one-bits among the `count` < kUnaryBits bits from bit `first` < 8 of `bytes`, in ascending
// order and counted from bit 0 of bytes[0]; returns how many there are. 64 bytes from `bytes` are readable; all of
// out[0 .. kOnesRoom) may be written.
using FindOnes = unsigned (*)(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);

unsigned baseline_find_ones(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);
FindOnes avx512_find_ones();  // null: not built in, or not for this processor
// The fastest that this processor runs.
FindOnes find_ones();

}  // namespace frond::codec
