// Lists in blocks of 128 that have to be decoded whole (block_form.h): only those that may hold a document are. After
// Ding et al. 2009 §8.1: a document is looked up among the last docIDs of the blocks first; with a table, among few of
// them. Where we differ: nothing is
// decoded to memory, a warp decodes what its 32 documents need, one block after the other, into shared memory.
#include "common/device/launch.cuh"
#include "leaf/gpu/block.cuh"
#include "leaf/gpu/intersect/block_form.h"
#include "leaf/gpu/intersect/kernels.h"
#include "leaf/gpu/intersect/plain_search.h"
#include "leaf/gpu/intersect/survivors.cuh"

namespace frond::leaf::gpu::intersect {
namespace {

// All lanes call; `out` has 128 places, on 16 bytes.
__device__ void decode_block(const ListView& list, std::uint32_t block, DocId* out, std::uint32_t lane) {
  const DocId before = block == 0 ? kNoDoc : lasts_of(list)[block - 1];
  const Four docids = decode_docids(list.payload, places_of(list)[block], before, lane);
  reinterpret_cast<uint4*>(out)[lane] = make_uint4(docids.at[0], docids.at[1], docids.at[2], docids.at[3]);
}

// Which of the lanes' documents, which ascend, the list has. All lanes call.
__device__ bool find_in_blocks(const ListView& list, DocId docid, bool live, DocId* decoded, std::uint32_t lane) {
  const Bracket blocks = live ? blocks_for(list, docid) : Bracket{};
  const std::uint32_t block = lower_bound(lasts_of(list), blocks.low, blocks.high, docid);
  const bool wanted = block < blocks.high;
  bool found = false;
  for (std::uint32_t open = __ballot_sync(kAllLanes, wanted); open != 0;) {
    const std::uint32_t next = __shfl_sync(kAllLanes, block, __ffs(static_cast<int>(open)) - 1);
    __syncwarp();  // all have searched the block before
    decode_block(list, next, decoded, lane);
    __syncwarp();
    const bool mine = wanted && block == next;
    if (mine) found = holds_between(decoded, {0, min(kBlockDocIds, list.count - next * kBlockDocIds)}, docid);
    open &= ~__ballot_sync(kAllLanes, mine);
  }
  return found;
}

// One thread block a tile, one thread a docID; 5.6 KiB of shared memory.
__global__ void __launch_bounds__(kTile) search_block_tile(BatchOnDevice batch) {
  alignas(16) __shared__ Survivors held;
  alignas(16) __shared__ DocId decoded[kTileWarps][kBlockDocIds];
  const std::uint32_t tile = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const QueryOnDevice query = batch.queries[batch.tile_queries[tile]];
  const std::uint32_t* lists = batch.lists + query.first_list;
  const ListView shortest = batch.views[lists[0]];
  const std::uint32_t first = (tile - query.first_tile) * kTile, first_block = first / kBlockDocIds;
  std::uint32_t live = min(kTile, shortest.count - first), place = threadIdx.x;
  if (warp < kTile / kBlockDocIds && first_block + warp < shortest.parts)
    decode_block(shortest, first_block + warp, held.docids + warp * kBlockDocIds, lane);
  __syncthreads();
  DocId docid = held.docids[threadIdx.x];
  __syncthreads();
  for (std::uint32_t l = 1; l < query.lists && live > 0; ++l) {
    const ListView list = batch.views[lists[l]];
    const bool found = find_in_blocks(list, docid, threadIdx.x < live, decoded[warp], lane);
    live = move_together(held, found, docid, place);
  }
  if (threadIdx.x < live) batch.found[std::size_t{tile} * kTile + threadIdx.x] = docid;
  if (threadIdx.x == 0) batch.counts[tile] = live;
}

}  // namespace

Result<void> search_blocks(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("search_blocks", search_block_tile, batch.tile_count, kTile, stream, batch);
}

}  // namespace frond::leaf::gpu::intersect
