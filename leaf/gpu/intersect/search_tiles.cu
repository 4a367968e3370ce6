#include "common/device/launch.cuh"
#include "leaf/gpu/intersect/kernels.h"
#include "leaf/gpu/intersect/line_search.h"
#include "leaf/gpu/intersect/survivors.cuh"

namespace frond::leaf::gpu::intersect {
namespace {

// The positions of a pair's longer list between which the docID at `position` of the shorter one can be.
__device__ Bracket bracket_of(const BatchOnDevice& batch, const PairOnDevice& pair, std::uint32_t shorter_count,
                              std::uint32_t position) {
  const std::uint32_t longer_count = batch.views[pair.longer].count;
  const std::uint32_t* positions = batch.positions + pair.first[0];
  const std::uint32_t number = position / kFinestStride;
  return {positions[number], number + 1 < splitters_of(shorter_count, 0) ? positions[number + 1] : longer_count};
}

// Mapping: one thread block a tile, one thread a docID. Result: docIDs and their count in device memory. Shared memory:
// 1,568 bytes.
template <class Search, bool kSplitters>
__global__ void __launch_bounds__(kTile) search_tile(BatchOnDevice batch) {
  __shared__ Survivors held;
  const std::uint32_t tile = blockIdx.x;
  const QueryOnDevice query = batch.queries[batch.tile_queries[tile]];
  const std::uint32_t* lists = batch.lists + query.first_list;
  const ListView shortest = batch.views[lists[0]];
  const std::uint32_t first = (tile - query.first_tile) * kTile;
  std::uint32_t live = min(kTile, shortest.count - first), place = threadIdx.x;
  DocId docid = 0;
  if (threadIdx.x < live) docid = Search::docid(shortest, first + place);
  for (std::uint32_t l = 1; l < query.lists && live > 0; ++l) {
    const ListView list = batch.views[lists[l]];
    bool found = false;
    if (threadIdx.x < live) {
      Bracket bracket{0, list.count};
      if (kSplitters) bracket = bracket_of(batch, batch.pairs[query.first_pair + l - 1], shortest.count, first + place);
      found = Search::holds(list, docid, bracket);
    }
    live = move_together(held, found, docid, place);
  }
  if (threadIdx.x < live) batch.found[std::size_t{tile} * kTile + threadIdx.x] = docid;
  if (threadIdx.x == 0) batch.counts[tile] = live;
}

template <class Search, bool kSplitters = false>
Result<void> launch_search(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("search_tiles", search_tile<Search, kSplitters>, batch.tile_count, kTile, stream, batch);
}

}  // namespace

Result<void> search_tiles(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream) {
  switch (kind) {
    case Kind::kBinary:
      return launch_search<BinarySearch>(batch, stream);
    case Kind::kInterpolation:
      return launch_search<Interpolation>(batch, stream);
    case Kind::kLinearRegression:
      return launch_search<RegressionBounds>(batch, stream);
    case Kind::kMergeFind:
      return batch.levels == 0 ? launch_search<BinarySearch>(batch, stream)
                               : launch_search<BinarySearch, true>(batch, stream);
    case Kind::kHashSegmentation:
      return launch_search<HashSegmentation>(batch, stream);
    case Kind::kLrc:
      return launch_search<LrcSearch>(batch, stream);
    case Kind::kLrcSeg:
      return launch_search<SegmentSearch<true>>(batch, stream);
    case Kind::kSegLrc:
      return launch_search<SegmentSearch<false>>(batch, stream);
    case Kind::kHsLrc:
      return launch_search<BucketSearch>(batch, stream);
    case Kind::kBlocks:
    case Kind::kParaPFor:
      return search_blocks(kind, batch, stream);
  }
  return Error(Code::kInvalid, "no such method of intersection");
}

}  // namespace frond::leaf::gpu::intersect
