#pragma once
// Search, warp layer: hidden documents are taken out of the held ones, once all lists have been asked and before
// anything is counted or emitted. Few are left by then, so the bits of few are loaded.
// Mapping, results and shared memory: warp_state.cuh.
#include "leaf/gpu/search/hidden.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Removes hidden documents from the first `count` held ones; the query has some. Keeps the order; returns how many
// stay.
__device__ inline std::uint32_t drop_hidden(const QueryOnDevice& query, Held& held, std::uint32_t count) {
  const std::uint32_t lane = lane_of_warp();
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    const std::uint32_t at = from + lane;
    const bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    const Score score = live ? held.scores[at] : 0;
    const std::uint16_t place = live ? held.places[at] : std::uint16_t{0};
    const bool keep = live && !is_hidden(query, docid);
    const std::uint32_t keepers = __ballot_sync(kFullWarp, keep);
    __syncwarp();  // all lanes have read their documents
    if (keep) {
      const std::uint32_t to = kept + static_cast<std::uint32_t>(__popc(keepers & lanes_below(lane)));
      held.docids[to] = docid;
      held.scores[to] = score;
      held.places[to] = place;
    }
    __syncwarp();
    kept += static_cast<std::uint32_t>(__popc(keepers));
  }
  return kept;
}

}  // namespace frond::leaf::gpu::search
