#pragma once
// The exceptions of the codecs "pfordelta0" … "pfordelta4": two arrays of mostly small numbers, which are coded by
// PForDelta again, to a given depth. (Ding et al. 2009 §6.2.) Any 128 of them can be read alone. Format:
// docs/formats/pfordelta.md.
//
//   depth 0    u32 a number
//   depth > 0  u32: width b in bits 0 .. 5, number of exceptions above | with exceptions, u32: words of the whole array
//              | slots of b bits, a bit string, to whole words | with exceptions: u8 a block of 128: how many of them,
//              to whole words | u32 for each of blocks 16, 32, …: exceptions before it | their places, an array of
//              depth - 1 | their bits above b, less one, an array of depth - 1
// A place is stored as its distance to the previous exception's place in its block, less one; the block's first place
// as it is.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"

namespace frond::codec {

inline constexpr std::uint32_t kMaxExceptions = (1u << 26) - 1;  // of one array

// The exceptions of numbers with slots of one width, as stored.
struct Exceptions {
  std::vector<std::uint32_t> places, highs;
  std::vector<std::uint8_t> counts;  // of each block of 128
};
Exceptions exceptions_of(std::span<const std::uint32_t> numbers, unsigned width);

// Widths of slots for numbers whose exceptions go into arrays of `depth`.
struct WidthGuess {
  unsigned best;  // has the fewest bits, as estimated from the numbers' widths alone
  unsigned min;   // below it there are more exceptions than an array can hold
  unsigned max;   // from it on there are no exceptions
};
WidthGuess guess_width(std::span<const std::uint32_t> numbers, unsigned depth);

// Appends an array; out.size() is a multiple of 4 afterwards, too.
// REQUIRES: out.size() is a multiple of 4.
void encode_array(std::span<const std::uint32_t> numbers, unsigned depth, ByteBuffer& out);

// Bytes of the array of `count` numbers at the front of `in`; kNoArray if the array is cut off or malformed.
inline constexpr std::uint64_t kNoArray = ~std::uint64_t{0};
std::uint64_t array_bytes(ByteView in, std::uint32_t count, unsigned depth);

// Patches one block with slots of `width`. The arrays of places and of high parts, of `count` numbers each, are at the
// front of `in`; the block's exceptions are the `exceptions` from number `first` on. Adds the bits above the slots to
// out[place - from], for places from .. from + out.size() - 1 of the block. Returns the bitwise "or" of the high parts,
// each less one, or kWrongExceptions if the bytes hold no such exceptions. Any bytes are survived.
// REQUIRES: exceptions <= 128; 64 bytes behind `in` are readable.
inline constexpr std::uint64_t kWrongExceptions = ~std::uint64_t{0};
std::uint64_t patch_exceptions(ByteView in, std::uint32_t count, unsigned depth, unsigned width, std::uint32_t first,
                               std::uint32_t exceptions, std::uint32_t from, std::span<std::uint32_t> out);

}  // namespace frond::codec
