#pragma once
// Codec "hs-lrc": as "seglrc", but segments are hash buckets: docIDs with equal leading bits. The docID alone tells its
// bucket, and the bucket's line where in it the docID may be. (HS_LRC: Ao et al. 2011 §3.4, §4.3.) Format:
// docs/formats/lrc.md. Where we differ: as in lrc.h; a bucket has about 128 to 256 docIDs (HS256), counted from the
// list's own last docID and not from the collection's.
//
//   docIDs  deviations of every bucket: a bit string, from 4 bytes | zeros to align | u8 a bucket: width
//           | u32 a bucket: position in the list behind its last docID | u32 a bucket: where it begins, in 4 bytes
//           | u32 a bucket: base | u32 a bucket: slope | u32: buckets | u32: bits 0 .. 4: shift, 8 .. 12: fraction
//           docID x is in bucket x >> shift; docID p of a bucket = base + (slope * p >> fraction) + deviation
#include <cstddef>
#include <cstdint>

#include "common/codec/lines/line.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr std::uint32_t kHashBucket = 256;  // docIDs a bucket on average, at most

// Bytes of the index, which ends the stream.
FROND_HOST_DEVICE constexpr std::uint64_t hs_lrc_index_bytes(std::uint32_t buckets) {
  return std::uint64_t{buckets} * 17 + 8;
}

const ListCodec& hs_lrc();

}  // namespace frond::codec
