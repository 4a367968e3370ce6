#pragma once
// Search, thread layer: one thread finds one document in one list and scores it.
//
// Mapping: every lane has its own document, so a warp searches 32 blocks with the instructions of one search.
// Result: in the registers of the calling lane. Lanes may call under divergence; there are no warp operations.
// Shared memory: none. Alignment: as block_entry.h says. Lists are admitted (admit.h), so nothing is checked here.
#include "leaf/gpu/batch.h"
#include "leaf/gpu/block.cuh"

namespace frond::leaf::gpu::search {

using scoring::Score;

inline constexpr std::uint32_t kNone = 0xffffffff;

// The blocks that may hold a document: low to high, both included. The table has two words for it.
struct Range {
  std::uint32_t low, high;
};
__device__ inline Range range_of(const DeviceList& list, DocId docid) {
  const std::uint32_t* range = list.table + (docid >> list.table_shift);
  return {__ldg(range), __ldg(range + 1)};
}

// The only block that may hold a document, and its entry. Block number block_count: no block does.
struct Located {
  std::uint32_t block;
  BlockEntry entry;
};
__device__ inline Located locate(const DeviceList& list, DocId docid, Range range) {
  while (range.high - range.low > 1) {
    const std::uint32_t middle = (range.low + range.high) / 2;
    if (__ldg(&list.blocks[middle].last) < docid)
      range.low = middle + 1;
    else
      range.high = middle;
  }
  // One or two blocks are left, usually the first is right. Loading its whole entry answers the last comparison and
  // is the result.
  Located at{range.low, load_entry(list.blocks + range.low)};
  if (range.low < range.high && at.entry.last < docid) at = {range.high, load_entry(list.blocks + range.high)};
  return at;
}

// The document's index in the block, 0 .. 127; kNone: the block does not hold it. Decodes only the run of 16 docIDs
// that may hold it: the sum that the run starts from is stored with the list (DeviceList::starts).
__device__ inline std::uint32_t find_in_block(const DeviceList& list, const Located& where, DocId docid) {
  const uint4* starts = reinterpret_cast<const uint4*>(list.starts + std::size_t{where.block} * kRuns);
  const uint4 low_starts = __ldg(starts), high_starts = __ldg(starts + 1);
  const std::uint32_t all[kRuns - 1] = {low_starts.y,  low_starts.z,  low_starts.w, high_starts.x,
                                        high_starts.y, high_starts.z, high_starts.w};
  std::uint32_t run = 0, sum = low_starts.x;
#pragma unroll
  for (std::uint32_t i = 0; i < kRuns - 1; ++i) {
    if (all[i] >= docid) continue;
    sum = all[i];
    run = i + 1;
  }
  // Numbers 4 i .. 4 i + 3 begin at the same bit, each in its own 32-bit column of the 16-byte rows (simd-bp128).
  const std::uint32_t width = width_of(where.entry.docids), bit = run * (kRunLength / 4) * width;
  const std::uint32_t mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  const auto* row = reinterpret_cast<const uint4*>(list.image + offset_of(where.entry.docids)) + bit / 32;
  std::uint32_t shift = bit % 32, index = kNone;
  uint4 low = make_uint4(0, 0, 0, 0);
  if (width != 0) low = __ldg(row);
#pragma unroll
  for (std::uint32_t i = 0; i < kRunLength / 4; ++i) {
    uint4 high = low;
    if (shift + width >= 32) high = __ldg(++row);
    sum += (__funnelshift_r(low.x, high.x, shift) & mask) + 1;
    if (sum == docid) index = 4 * i;
    sum += (__funnelshift_r(low.y, high.y, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 1;
    sum += (__funnelshift_r(low.z, high.z, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 2;
    sum += (__funnelshift_r(low.w, high.w, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 3;
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      low = high;
    }
  }
  return index == kNone ? kNone : run * kRunLength + index;
}

// The contribution of the posting at `index` of a block whose frequencies are at `frequencies`.
__device__ inline Score score_posting(const QueryOnDevice& query, const TermOnDevice& term, PackedPlace frequencies,
                                      std::uint32_t index, DocId docid) {
  const std::uint32_t frequency = one_frequency(term.list.image, frequencies, index);
  return scoring::contribution(term.weight, frequency, __ldg(query.lengths + docid), query.norm);
}

// The highest score that a posting of the block can have.
__device__ inline Score max_score_of(const TermOnDevice& term, const BlockEntry& entry) {
  return term.bounds.bound(static_cast<scoring::PackedDeficit>(entry.deficit_and_count >> 16));
}

}  // namespace frond::leaf::gpu::search
