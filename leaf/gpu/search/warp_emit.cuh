#pragma once
// Search, warp layer, step 3: matches are counted, candidates go to device memory, and the threshold rises.
// Mapping: warp_state.cuh. No shared memory. Results are in the batch's keys, bins and the query's state, which all
// warps of the query change by atomic operations.
#include "leaf/gpu/search/threshold.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Adds the document of each lane with `wanted` to the query's candidates, and its score to the query's bins. Documents
// for which there is no room are counted, but not written. After each k / 4 candidates (at least 8) the threshold is
// computed from the bins again.
__device__ inline void emit(const TaskQuery& of, DocId docid, Score score, bool wanted, Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  const std::uint32_t emitting = __ballot_sync(kFullWarp, wanted);
  if (emitting == 0) return;
  const auto count = static_cast<std::uint32_t>(__popc(emitting));
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(&of.state->emitted, count);
  first = __shfl_sync(kFullWarp, first, 0);
  if (wanted) {
    const std::uint32_t to = first + static_cast<std::uint32_t>(__popc(emitting & lanes_below(lane)));
    if (to < of.batch.candidates)
      of.batch.keys[std::size_t{of.number} * of.batch.candidates + to] = std::uint64_t{score} << 32 | (~docid);
    atomicAdd(of.batch.bins + std::size_t{of.number} * kBins + bin_of(score, of.query.bin_shift), 1u);
  }
  const std::uint32_t k = of.query.k, step = max(k / 4, 8u);
  if (first + count < k || (first + count) / step == first / step) return;
  const Score raised = threshold_of_query(of.batch, of.number, lane);
  if (lane == 0) atomicMax(&of.state->threshold, raised);
  progress.threshold = max(progress.threshold, raised);
}

// Adds `count` matches to the query's, and finds out whether enough are counted.
__device__ inline void count_matches(const TaskQuery& of, std::uint32_t count, Progress& progress) {
  const std::uint32_t lane = lane_of_warp();
  if (of.query.count_to == kCountAll) {
    if (lane == 0 && count > 0) atomicAdd(&of.state->matches, count);  // result unused, so no lane waits for it
    return;
  }
  std::uint32_t all = 0;
  if (lane == 0) all = (count ? atomicAdd(&of.state->matches, count) : __ldcg(&of.state->matches)) + count;
  progress.enough = __shfl_sync(kFullWarp, all, 0) > of.query.count_to;
}

}  // namespace frond::leaf::gpu::search
