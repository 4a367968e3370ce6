// The kernels that find which documents of the shortest lists the other lists hold: splitters, then tiles.
#include "common/device/launch.cuh"
#include "common/device_codec/patched.cuh"
#include "leaf/gpu/block.cuh"
#include "tools/papers/intersect/batch.h"

namespace frond::tools::papers {
namespace {

using leaf::gpu::Four, leaf::gpu::decode_docids;

constexpr std::uint32_t kThreads = 256;

// The pair that a splitter belongs to: the last one that begins at or before it. (A pair without splitters begins where
// the next one does.)
__device__ std::uint32_t pair_of(const BatchOnDevice& batch, std::uint32_t level, std::uint32_t splitter) {
  std::uint32_t low = 0, high = batch.pair_count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (batch.pairs[middle].first[level] <= splitter)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Mapping: one thread a splitter. Result: its position in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) find_level(BatchOnDevice batch, std::uint32_t level) {
  const std::uint32_t splitter = batch.level_begins[level] + blockIdx.x * kThreads + threadIdx.x;
  if (splitter >= batch.level_begins[level + 1]) return;
  const PairOnDevice& pair = batch.pairs[pair_of(batch, level, splitter)];
  const ListView &shorter = batch.views[pair.shorter], &longer = batch.views[pair.longer];
  const std::uint32_t number = splitter - pair.first[level];
  std::uint32_t low = 0, high = longer.count;
  if (level + 1 < batch.levels) {
    const std::uint32_t* coarser = batch.positions + pair.first[level + 1];
    const std::uint32_t parent = number / kSplitterFan;
    low = coarser[parent];
    if (parent + 1 < splitters_of(shorter.count, level + 1)) high = coarser[parent + 1];
  }
  const DocId docid = docids_of(shorter)[number * splitter_stride(level)];
  batch.positions[splitter] = lower_bound(docids_of(longer), low, high, docid);
}

// The documents of a tile that all lists searched so far hold: one for each of the first threads of a thread block.
constexpr std::uint32_t kTileWarps = kTile / 32, kAllLanes = 0xffffffff;

// Shared memory of a thread block: 1,568 bytes.
struct Survivors {
  DocId docids[kTile];
  std::uint16_t places[kTile];  // in the tile
  std::uint32_t counts[kTileWarps];
};

// Moves the documents of the threads with `keep` to the first threads of the thread block, in their order; returns how
// many. All threads call it. Result: `docid` and `place` of those first threads.
__device__ std::uint32_t move_together(Survivors& held, bool keep, DocId& docid, std::uint32_t& place) {
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t votes = __ballot_sync(kAllLanes, keep);
  if (lane == 0) held.counts[warp] = static_cast<std::uint32_t>(__popc(votes));
  __syncthreads();
  std::uint32_t before = 0, all = 0;
  for (std::uint32_t w = 0; w < kTileWarps; ++w) {
    const std::uint32_t count = held.counts[w];
    before += w < warp ? count : 0;
    all += count;
  }
  if (keep) {
    const std::uint32_t to = before + static_cast<std::uint32_t>(__popc(votes & ((1u << lane) - 1)));
    held.docids[to] = docid;
    held.places[to] = static_cast<std::uint16_t>(place);
  }
  __syncthreads();
  if (threadIdx.x < all) {
    docid = held.docids[threadIdx.x];
    place = held.places[threadIdx.x];
  }
  return all;
}

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
template <class Search, bool kSplitters = false>
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

Result<void> launch_search(void (*search)(BatchOnDevice), const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("search_tiles", search, batch.tile_count, kTile, stream, batch);
}

// Lists in blocks of 128 docIDs that can only be decoded whole (list_search.h). Blocks that may hold a document are
// decoded, as in Ding et al. 2009 §8.1: a document is first looked up among the last docIDs of the blocks; with a
// table, among few of them. Unlike there nothing is decoded to device memory: a warp decodes the blocks that its 32
// documents need, one after the other, to shared memory.

// How a warp writes the docIDs of a block to `out`, 128 places aligned to 16; what is behind the list's last docID is
// unspecified. All lanes call decode(). kArrays: of the index, before its table. Scratch: shared memory of a warp.
struct PackedBlocks {
  static constexpr std::uint32_t kArrays = 2;
  struct Scratch {};
  __device__ static Four decode(const ListView& list, std::uint32_t block, DocId before, std::uint32_t lane, Scratch&) {
    return decode_docids(list.payload, places_of(list)[block], before, lane);
  }
};
// Finds the block by the checkpoints of the stream, each time. Streams are our own, so none is corrupt.
struct ParaPForBlocks {
  static constexpr std::uint32_t kArrays = 1;
  using Codec = device_codec::Patched<device_codec::ParaPFor>;
  using Scratch = Codec::Scratch;
  __device__ static Four decode(const ListView& list, std::uint32_t block, DocId before, std::uint32_t lane,
                                Scratch& scratch) {
    const codec::StreamWords stream{reinterpret_cast<const std::uint32_t*>(list.payload), list.right};
    const device_codec::BlockOfList of{list.count, block, before};
    Codec::Place place{};
    device_codec::Unpacked unpacked;
    Codec::find(stream, of, place);
    Codec::unpack(stream, of, place, lane, scratch, unpacked);
    return device::add_up(unpacked.numbers, before, lane);
  }
};

template <class Blocks>
__device__ void decode_block(const ListView& list, std::uint32_t block, DocId* out, std::uint32_t lane,
                             typename Blocks::Scratch& scratch) {
  const DocId before = block == 0 ? kNoDoc : lasts_of(list)[block - 1];
  const Four docids = Blocks::decode(list, block, before, lane, scratch);
  reinterpret_cast<uint4*>(out)[lane] = make_uint4(docids.at[0], docids.at[1], docids.at[2], docids.at[3]);
}

// Whether the list holds the lane's document. The documents ascend over the lanes. All lanes of a warp call it; those
// that are not `live` have no document. `decoded`: the warp's 128 places in shared memory.
template <class Blocks>
__device__ bool find_in_blocks(const ListView& list, DocId docid, bool live, DocId* decoded, std::uint32_t lane,
                               typename Blocks::Scratch& scratch) {
  const Bracket blocks = live ? blocks_for(list, Blocks::kArrays, docid) : Bracket{};
  const std::uint32_t block = lower_bound(lasts_of(list), blocks.low, blocks.high, docid);
  const bool wanted = block < blocks.high;
  bool found = false;
  for (std::uint32_t open = __ballot_sync(kAllLanes, wanted); open != 0;) {
    const std::uint32_t next = __shfl_sync(kAllLanes, block, __ffs(static_cast<int>(open)) - 1);
    __syncwarp();  // all lanes have searched the block before
    decode_block<Blocks>(list, next, decoded, lane, scratch);
    __syncwarp();
    const bool mine = wanted && block == next;
    if (mine) found = holds_between(decoded, {0, min(kBlockDocIds, list.count - next * kBlockDocIds)}, docid);
    open &= ~__ballot_sync(kAllLanes, mine);
  }
  return found;
}

// Mapping: one thread block a tile, one thread a docID. Result: docIDs and their count in device memory. Shared memory:
// 5,664 bytes; for parapfor 8 KiB more.
template <class Blocks>
__global__ void __launch_bounds__(kTile) search_block_tile(BatchOnDevice batch) {
  alignas(16) __shared__ Survivors held;
  alignas(16) __shared__ DocId decoded[kTileWarps][kBlockDocIds];
  __shared__ typename Blocks::Scratch scratch[kTileWarps];
  const std::uint32_t tile = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const QueryOnDevice query = batch.queries[batch.tile_queries[tile]];
  const std::uint32_t* lists = batch.lists + query.first_list;
  const ListView shortest = batch.views[lists[0]];
  const std::uint32_t first = (tile - query.first_tile) * kTile, first_block = first / kBlockDocIds;
  std::uint32_t live = min(kTile, shortest.count - first), place = threadIdx.x;
  if (warp < kTile / kBlockDocIds && first_block + warp < shortest.parts)
    decode_block<Blocks>(shortest, first_block + warp, held.docids + warp * kBlockDocIds, lane, scratch[warp]);
  __syncthreads();
  DocId docid = held.docids[threadIdx.x];
  __syncthreads();
  for (std::uint32_t l = 1; l < query.lists && live > 0; ++l) {
    const ListView list = batch.views[lists[l]];
    const bool found = find_in_blocks<Blocks>(list, docid, threadIdx.x < live, decoded[warp], lane, scratch[warp]);
    live = move_together(held, found, docid, place);
  }
  if (threadIdx.x < live) batch.found[std::size_t{tile} * kTile + threadIdx.x] = docid;
  if (threadIdx.x == 0) batch.counts[tile] = live;
}

}  // namespace

Result<void> find_splitters(const BatchOnDevice& batch, device::StreamHandle stream) {
  for (std::uint32_t level = batch.levels; level-- > 0;) {
    const std::uint32_t splitters = batch.level_begins[level + 1] - batch.level_begins[level];
    FROND_TRY(device::launch("find_splitters", find_level, (splitters + kThreads - 1) / kThreads, kThreads, stream,
                             batch, level));
  }
  return {};
}

Result<void> search_tiles(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream) {
  switch (kind) {
    case Kind::kBinary:
      return launch_search(search_tile<BinarySearch>, batch, stream);
    case Kind::kInterpolation:
      return launch_search(search_tile<Interpolation>, batch, stream);
    case Kind::kLinearRegression:
      return launch_search(search_tile<RegressionBounds>, batch, stream);
    case Kind::kMergeFind:
      return batch.levels == 0 ? launch_search(search_tile<BinarySearch>, batch, stream)
                               : launch_search(search_tile<BinarySearch, true>, batch, stream);
    case Kind::kHashSegmentation:
      return launch_search(search_tile<HashSegmentation>, batch, stream);
    case Kind::kLrc:
      return launch_search(search_tile<LrcSearch>, batch, stream);
    case Kind::kLrcSeg:
      return launch_search(search_tile<SegmentSearch<true>>, batch, stream);
    case Kind::kSegLrc:
      return launch_search(search_tile<SegmentSearch<false>>, batch, stream);
    case Kind::kHsLrc:
      return launch_search(search_tile<BucketSearch>, batch, stream);
    case Kind::kBlocks:
      return launch_search(search_block_tile<PackedBlocks>, batch, stream);
    case Kind::kParaPFor:
      return launch_search(search_block_tile<ParaPForBlocks>, batch, stream);
  }
  return Error(Code::kInvalid, "no such method of intersection");
}

}  // namespace frond::tools::papers
