#pragma once
// A list in blocks of 128 docIDs, packed as the blocks of codec simd-bp128 (docs/formats/simd-bp128.md): distances,
// less one, to the docID before, in the bits that the block's greatest needs. The last block is filled up with
// distances of 1.
//
//   payload  the blocks, 16 * width bytes each, and 16 readable bytes
//   index    last docID of every block, u32, to 16 bytes; a PackedPlace, u32, a block, to 16 bytes; then the table, if
//            there is one: for each range of 2^shift docIDs, and the one behind, the first block whose last docID is at
//            or behind its first (hash segmentation, of blocks: what leaf/gpu finds blocks by)
//   parts    blocks
//   left     ranges of the table; 0: none
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
// Blocks [low, high) of which one may hold the document: the first whose last docID is not less.
FROND_HOST_DEVICE inline Bracket blocks_for(const ListView& list, DocId docid) {
  if (list.left == 0) return {0, list.parts};
  const std::uint32_t range = docid >> list.shift;
  if (range >= list.left) return {};
  const std::uint32_t* table = places_of(list) + (list.parts + 3) / 4 * 4 + range;
  const std::uint32_t high = table[1] + 1;
  return {table[0], high < list.parts ? high : list.parts};
}

// Appends blocks and index to an empty buffer, fills the view but for its pointers, and returns where the index begins.
// docIDs ascend strictly; at least one.
std::size_t append_block_form(std::span<const DocId> docids, bool with_table, ByteBuffer& bytes, ListView& view);

}  // namespace frond::leaf::gpu::intersect
