#pragma once
// A list in blocks of 128 docIDs, packed as codec simd-bp128 packs them (docs/formats/simd-bp128.md): the distance to
// the docID before, less one, in as many bits as the largest of the block needs. The last block is padded with
// distances of 1. What the fields of a ListView mean for this form:
//
//   payload  the blocks, 16 * width bytes each, then 16 readable bytes
//   index    three arrays of u32, the first two padded to 16 bytes: the last docID of each block; the PackedPlace of
//            each block; the table, which may be missing: for each range of 2^shift docIDs, and for one more range, the
//            first block whose last docID is not below the range (hash segmentation of blocks, as leaf/gpu has it)
//   parts    number of blocks
//   left     number of ranges in the table; 0: no table
#include <span>

#include "common/base/bytes.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

inline constexpr std::uint32_t kBlockDocIds = 128;

FROND_HOST_DEVICE inline const DocId* lasts_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.index);
}
FROND_HOST_DEVICE inline const PackedPlace* places_of(const ListView& list) {
  return lasts_of(list) + (list.parts + 3) / 4 * 4;
}
// The blocks [low, high) that may hold the document. It can only be in the first whose last docID is not less.
FROND_HOST_DEVICE inline Bracket blocks_for(const ListView& list, DocId docid) {
  if (list.left == 0) return {0, list.parts};
  const std::uint32_t range = docid >> list.shift;
  if (range >= list.left) return {};
  const std::uint32_t* table = places_of(list) + (list.parts + 3) / 4 * 4 + range;
  const std::uint32_t high = table[1] + 1;
  return {table[0], high < list.parts ? high : list.parts};
}

// Appends blocks and index to an empty buffer, fills the view except for its pointers, and returns the offset of the
// index. At least one docID; they ascend strictly.
std::size_t append_block_form(std::span<const DocId> docids, bool with_table, ByteBuffer& bytes, ListView& view);

}  // namespace frond::leaf::gpu::intersect
