#pragma once
// Search, warp layer, step 1: the documents of a block of the driving list that may be hits are added to Held.
// Mapping, results and shared memory: warp_state.cuh. A block is decoded in registers, lane t has postings 4 t .. 4 t
// + 3.
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

// Adds documents behind the first `count` of Held, which has room for 128 more, and returns the new count. `block`: the
// block's index in the task. `before`: docid_before() of the block. Scores are the driving term's; 0 while matches are
// counted. Ends without a __syncwarp(): settle() has one.
__device__ inline std::uint32_t gather(const TaskQuery& of, const TaskRange& range, const BlockEntry& entry,
                                       std::uint32_t before, std::uint32_t block, Held& held, std::uint32_t count,
                                       Progress& progress) {
  const TermOnDevice& term = of.terms[range.driver];
  const QueryOnDevice& query = of.query;
  const std::uint32_t lane = lane_of_warp();
  const Four docids = decode_docids(term.list.image, entry.docids, before, lane);
  const std::uint32_t size = entry.deficit_and_count & 0xffffu;
  Four frequencies{};
  if (!progress.counting) frequencies = unpack_four(term.list.image, entry.frequencies, lane);
  progress.runs += kRuns;
  bool keep[4];
  Score scores[4];
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    keep[i] = index < size && index * (1u << range.split) / codec::kBlockLength == range.part;
    scores[i] = 0;
    if (keep[i] && !progress.counting) {
      // First with the partition's minimum length: loading the document's own length would access device memory.
      const std::uint32_t frequency = frequencies.at[i] + 1;
      keep[i] = scoring::contribution(term.weight, frequency, query.min_length, query.norm) + term.max_rest >=
                progress.threshold;
      if (keep[i]) {
        scores[i] = scoring::contribution(term.weight, frequency, __ldg(query.lengths + docids.at[i]), query.norm);
        keep[i] = scores[i] + term.max_rest >= progress.threshold;
      }
    }
    mine += keep[i];
  }
  const std::uint32_t start = sum_before(mine, lane);
  std::uint32_t to = count + start;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (!keep[i]) continue;
    held.docids[to] = docids.at[i];
    held.scores[to] = scores[i];
    held.places[to] = static_cast<std::uint16_t>(block * codec::kBlockLength + 4 * lane + i);
    ++to;
  }
  return count + __shfl_sync(kFullWarp, start + mine, 31);
}

}  // namespace frond::leaf::gpu::search
