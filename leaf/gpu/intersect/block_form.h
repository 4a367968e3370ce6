#pragma once
// A list in blocks of 128 docIDs, for methods that decode a block whole. What the fields of a ListView mean:
//
//   payload  Kind::kBlocks: the blocks, packed as codec simd-bp128 packs them (docs/formats/simd-bp128.md), 16 * width
//            bytes each: the distance to the docID before, less one, in as many bits as the block's largest needs.
//            The last block is padded with distances of 1.
//            Kind::kParaPFor: the stream of codec parapfor (docs/formats/patched.md), of `right` bytes.
//            Then codec::kReadSlack readable bytes.
//   index    arrays of u32, those before the table padded to 16 bytes: the last docID of each block; for kBlocks
//            alone, the PackedPlace of each block; the table, which may be missing: for each range of 2^shift docIDs,
//            and for one more range, the first block whose last docID is not below the range (hash segmentation of
//            blocks, as leaf/gpu has it)
//   parts    number of blocks
//   left     number of ranges in the table; 0: no table
#include <span>

#include "common/base/bytes.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/intersect/list_view.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

inline constexpr std::uint32_t kBlockDocIds = 128;

FROND_HOST_DEVICE inline const DocId* lasts_of(const ListView& list) {
  return reinterpret_cast<const DocId*>(list.index);
}
FROND_HOST_DEVICE inline const PackedPlace* places_of(const ListView& list) {
  return lasts_of(list) + (list.parts + 3) / 4 * 4;
}
// The blocks [low, high) that may hold the document. It can only be in the first whose last docID is not less.
// `arrays`: how many the index has before the table.
FROND_HOST_DEVICE inline Bracket blocks_for(const ListView& list, std::uint32_t arrays, DocId docid) {
  if (list.left == 0) return {0, list.parts};
  const std::uint32_t range = docid >> list.shift;
  if (range >= list.left) return {};
  const std::uint32_t* table = lasts_of(list) + std::size_t{arrays} * ((list.parts + 3) / 4 * 4) + range;
  const std::uint32_t high = table[1] + 1;
  return {table[0], high < list.parts ? high : list.parts};
}

// Appends payload and index to an empty buffer, fills the view except for its pointers, and returns the offset of the
// index. The method's kind is kBlocks or kParaPFor, its number 1 for a table. At least one docID; they ascend strictly.
std::size_t append_block_form(Method method, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view);

}  // namespace frond::leaf::gpu::intersect
