#pragma once
// Adds the unary parts of a block of the codec "rice" to its numbers, whose low parts are unpacked already.
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

// ones: the positions of a block's 128 one-bits, counted from a bit `first` bits before the unary parts.
// docIDs: adds to each 2^parameter times the sum of the unary parts up to it, that is, the number of zeros before its
// one-bit. parameter <= 31; modulo 2^32.
void add_unary_sums(std::span<const std::uint16_t, kBlockLength> ones, std::uint32_t first, unsigned parameter,
                    std::span<std::uint32_t, kBlockLength> docids);
// Frequencies: adds to each 2^parameter times its own unary part. Writes ones[-1], which the caller provides.
void add_unary_parts(std::uint16_t* ones, std::uint32_t first, unsigned parameter,
                     std::span<std::uint32_t, kBlockLength> frequencies);

}  // namespace frond::codec
