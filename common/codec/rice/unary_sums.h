#pragma once
// What the unary parts of a block of the codec "rice" add to its numbers, of which the low parts are unpacked already.
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

// ones: the places of a block's 128 one-bits, counted from a bit that has `first` bits before the unary parts.
// docIDs: adds 2^parameter times the sum of all unary parts up to each number, which is the number of zeros before its
// one. parameter <= 31; modulo 2^32.
void add_unary_sums(std::span<const std::uint16_t, kBlockLength> ones, std::uint32_t first, unsigned parameter,
                    std::span<std::uint32_t, kBlockLength> docids);
// Frequencies: adds 2^parameter times each number's own unary part. Room for one more is before ones[0], and written.
void add_unary_parts(std::uint16_t* ones, std::uint32_t first, unsigned parameter,
                     std::span<std::uint32_t, kBlockLength> frequencies);

}  // namespace frond::codec
