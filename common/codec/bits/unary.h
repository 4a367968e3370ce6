#pragma once
// Finds the one-bits of a bit string: the ends of the unary parts of a Rice code.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr unsigned kUnaryBits = 384;             // the bits of a block are fewer
inline constexpr unsigned kOnesRoom = kUnaryBits + 80;  // room for positions: whole vectors are written

// Writes the positions of the one-bits among the `count` bits from bit `first` of `bytes` on, in ascending order,
// counted from bit 0 of bytes[0]. Returns how many there are. 64 bytes from `bytes` on are read; all of out[0 ..
// kOnesRoom) may be written.
// REQUIRES: first < 8; count < kUnaryBits.
using FindOnes = unsigned (*)(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);

unsigned baseline_find_ones(const std::byte* bytes, unsigned first, unsigned count, std::uint16_t* out);
FindOnes avx512_find_ones();  // null if not built in or this processor lacks it
// The fastest that this processor runs.
FindOnes find_ones();

// Adds the unary parts of a block of the codec "rice" to its numbers, whose low parts are unpacked already.

// ones: the positions of a block's 128 one-bits, counted from a bit `first` bits before the unary parts.
// docIDs: adds to each 2^parameter times the sum of the unary parts up to it, that is, the number of zeros before its
// one-bit, modulo 2^32.
// REQUIRES: parameter <= 31.
void add_unary_sums(std::span<const std::uint16_t, kBlockLength> ones, std::uint32_t first, unsigned parameter,
                    std::span<std::uint32_t, kBlockLength> docids);
// Frequencies: adds to each 2^parameter times its own unary part. Writes ones[-1].
// REQUIRES: parameter <= 31; ones[-1] may be written.
void add_unary_parts(std::uint16_t* ones, std::uint32_t first, unsigned parameter,
                     std::span<std::uint32_t, kBlockLength> frequencies);

}  // namespace frond::codec
