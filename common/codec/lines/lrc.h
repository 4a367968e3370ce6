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

#include "common/codec/block_index.h"
#include "common/codec/lines/line.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::size_t kLrcHeaderBytes = 16;

const ListCodec& lrc();

// Codecs "lrcseg" and "seglrc": lines through docIDs as "lrc" has them, but segments of 256 docIDs with a base and a
// width each. lrcseg has one line for the list, whose slope every segment takes; seglrc has a line for every segment.
// (LRCSeg and SegLRC: Ao et al. 2011 §4.2, §4.3.) Format: docs/formats/lrc.md. Where we differ: as in lrc.h.
//
//   docIDs  deviations of the segments, in full blocks of 16 * width bytes as simd-bp128 packs them; of the last block
//           where it is not full: a bit string | zeros to align | u8 a segment: width | u32 a segment: base
//           | seglrc: u32 a segment: slope | u32 for each of segments 16, 32, …: where it begins, in 32 bytes
//           | lrcseg: u64 slope, 32 bits of fraction; seglrc: u32 bits of fraction of all slopes
//           lrcseg: docID i of the list = base + (slope * i >> 32) - (slope * first >> 32) + deviation
//           seglrc: docID p of the segment = base + (slope * p >> fraction) + deviation
//           modulo 2^32; first: of the segment, in the list
inline constexpr std::uint32_t kSegmentBlocksOfLrc = 2;
inline constexpr std::uint32_t kLrcSegment = kSegmentBlocksOfLrc * kBlockLength;  // docIDs

FROND_HOST_DEVICE constexpr std::uint32_t lrc_segments(std::uint32_t count) {
  return count / kLrcSegment + (count % kLrcSegment != 0);
}
// Bytes of the index, which ends the stream.
FROND_HOST_DEVICE constexpr std::size_t lrcseg_index_bytes(std::uint32_t count) {
  return std::size_t{lrc_segments(count)} * 5 + std::size_t{checkpoints_of(lrc_segments(count))} * 4 + 8;
}
FROND_HOST_DEVICE constexpr std::size_t seglrc_index_bytes(std::uint32_t count) {
  return std::size_t{lrc_segments(count)} * 9 + std::size_t{checkpoints_of(lrc_segments(count))} * 4 + 4;
}

const ListCodec& lrcseg();
const ListCodec& seglrc();

}  // namespace frond::codec
