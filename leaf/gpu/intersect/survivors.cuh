#pragma once
// The documents of a tile that all lists searched so far hold: one for each of the first threads of a thread block.
#include "leaf/gpu/intersect/batch.h"

namespace frond::leaf::gpu::intersect {

inline constexpr std::uint32_t kTileWarps = kTile / 32, kAllLanes = 0xffffffff;

// Shared memory of a thread block: 1,568 bytes.
struct Survivors {
  DocId docids[kTile];
  std::uint16_t places[kTile];  // in the tile
  std::uint32_t counts[kTileWarps];
};

// Moves the documents of the threads with `keep` to the first threads of the thread block, in their order; returns how
// many. All threads call it. Result: `docid` and `place` of those first threads.
__device__ inline std::uint32_t move_together(Survivors& held, bool keep, DocId& docid, std::uint32_t& place) {
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

}  // namespace frond::leaf::gpu::intersect
