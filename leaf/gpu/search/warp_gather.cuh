#pragma once
// Search, warp layer, step 1: the documents of a block of the driving list that may be hits are added to Held.
// Mapping, results and shared memory: warp_state.cuh. A block is decoded in registers, lane t has postings 4 t .. 4 t
// + 3.
#include "leaf/gpu/search/priors.cuh"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Adds documents behind the first `count` of Held, which has room for 128 more, and returns the new count. `block`: the
// block's index in the task. `before`: docid_before() of the block. Scores: Held. Ends without a __syncwarp(): settle()
// has one.
template <class Lists>
__device__ inline std::uint32_t gather(const TaskQuery& of, const TaskRange& range, const BlockEntry& entry,
                                       std::uint32_t before, std::uint32_t block, Held& held, std::uint32_t count,
                                       typename Lists::Scratch& scratch, Progress& progress) {
  const TermOnDevice& term = of.terms[range.driver];
  const QueryOnDevice& query = of.query;
  const std::uint32_t lane = lane_of_warp();
  Four docids;
  Lists::docids(term.list, range.first_block + block, entry, before, lane, scratch, docids);
  const std::uint32_t size = size_of(entry);
  // The list that the documents will be looked up in first: its marks are asked here.
  const bool sifts = range.driver + 1 < query.terms;
  const TermOnDevice& next = of.terms[range.driver + sifts];
  Four frequencies{};
  if (!progress.counting) {
    Lists::frequencies(term.list, range.first_block + block, entry, lane, scratch, frequencies);
  }
  progress.runs += kRuns;
  bool keep[4], absent[4];
  Score scores[4];
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    keep[i] = index < size && index * (1u << range.split) / codec::kBlockLength == range.part;
    // A bound of the score tells which marks are loaded: each load is of another sector of memory. Loading lengths here
    // too, in whatever form, took longer than looking up the documents that they exclude.
    scores[i] = progress.counting ? 0 : most_of_posting(query, term, frequencies.at[i] + 1);
    if constexpr (AddsPriors<Lists>)
      if (query.priors != nullptr && keep[i] && !progress.counting) scores[i] += most_prior_near(query, docids.at[i]);
    keep[i] = keep[i] && (progress.counting || scores[i] + term.max_rest >= progress.threshold);
    absent[i] = keep[i] && sifts && !marked(next.list, docids.at[i]);
  }
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (absent[i]) keep[i] = !query.conjunction && scores[i] + next.max_rest >= progress.threshold;
    mine += keep[i];
  }
  const std::uint32_t start = sum_before(mine, lane);
  std::uint32_t to = count + start;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (!keep[i]) continue;
    held.docids[to] = docids.at[i];
    held.scores[to] = scores[i];
    held.places[to] =
        static_cast<std::uint16_t>((absent[i] ? kAbsent : 0) + block * codec::kBlockLength + 4 * lane + i);
    ++to;
  }
  return count + __shfl_sync(kFullWarp, start + mine, 31);
}

}  // namespace frond::leaf::gpu::search
