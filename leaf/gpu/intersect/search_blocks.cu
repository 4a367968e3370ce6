// Lists in blocks of 128 docIDs that can only be decoded whole (block_form.h). Blocks that may hold a document are
// decoded, as in Ding et al. 2009 §8.1: a document is first looked up among the last docIDs of the blocks; with a
// table, among few of them. Unlike there nothing is decoded to device memory: a warp decodes the blocks that its 32
// documents need, one after the other, to shared memory.
#include "common/device/launch.cuh"
#include "common/device_codec/patched.cuh"
#include "leaf/gpu/block.cuh"
#include "leaf/gpu/intersect/block_form.h"
#include "leaf/gpu/intersect/kernels.h"
#include "leaf/gpu/intersect/plain_search.h"
#include "leaf/gpu/intersect/survivors.cuh"

namespace frond::leaf::gpu::intersect {
namespace {

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

Result<void> search_blocks(Kind kind, const BatchOnDevice& batch, device::StreamHandle stream) {
  const auto search = kind == Kind::kParaPFor ? search_block_tile<ParaPForBlocks> : search_block_tile<PackedBlocks>;
  return device::launch("search_blocks", search, batch.tile_count, kTile, stream, batch);
}

}  // namespace frond::leaf::gpu::intersect
