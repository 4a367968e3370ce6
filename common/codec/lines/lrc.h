#pragma once
// Codec "lrc": Linear Regression Compression. A docID is the line's value at its position plus a deviation, and all
// deviations of a list have one width. So any docID can be read alone, and the line tells where a docID may be. (Ao et
// al. 2011 §3.3, §4.2, §4.3.) Format: docs/formats/lrc.md.
//
// Where we differ: there are no exceptions (as in their algorithm 1); the line has the smallest spread, not the least
// squares; it is in fixed point, so that every processor computes the same. The blob's last docIDs serve as their
// auxiliary head list. Frequencies do not lie along lines: simd-bp128 encodes them.
//
//   docIDs  u64 slope, 32 bits of fraction | u32 base + spread | u32 spread, the greatest deviation
//           | deviations of the full blocks, 16 * width bytes each as simd-bp128 packs them | of the last block where
//           it is not full: a bit string | zeros to 16
//           docID i = base + (slope * i >> 32) + deviation i, modulo 2^32; width is that of the spread
#include <cstddef>
#include <cstdint>

#include "common/codec/lines/line.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::size_t kLrcHeaderBytes = 16;

const ListCodec& lrc();

}  // namespace frond::codec
