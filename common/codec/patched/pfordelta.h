#pragma once
// Codecs "pfordelta0" … "pfordelta4": slots of one width for a whole list; the exceptions' places and high bits are two
// arrays, which are coded in the same way again, 0 to 4 times. (Ding et al. 2009 §6.2.) Format:
// docs/formats/pfordelta.md.
//
// Where we differ: blocks have 128 numbers (Ding: 512), and a block's exceptions are found without decoding the rest of
// the arrays, which Ding decompresses whole. b is the width that costs least.
//
//   stream  slots of the full blocks, 16 * b bytes each as simd-bp128 packs them | places, an array (exception_array.h)
//           | bits above, an array | Rice code of the last block where it is not full (distances.h) | zeros to align
//           | u8 a block: how many exceptions, of a last one that is not full its Rice parameter
//           | u32 for each of blocks 16, 32, …: exceptions before it | u32: b in bits 0 .. 5, all exceptions above
// Numbers are stored as distances less one (distances.h).
#include <cstddef>
#include <cstdint>

#include "common/codec/block_index.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr unsigned kPForDeltaLevels = 5;

// Bytes of the index, which ends the stream.
FROND_HOST_DEVICE constexpr std::size_t pfordelta_index_bytes(std::uint32_t count) {
  return std::size_t{blocks_of(count)} + std::size_t{checkpoints_of(blocks_of(count))} * 4 + 4;
}

// level: how often the exceptions' arrays are coded again.
// REQUIRES: level < kPForDeltaLevels.
const ListCodec& pfordelta(unsigned level);

}  // namespace frond::codec
