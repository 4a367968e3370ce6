#pragma once
// A query's threshold from its histogram of scores. If the bins from some bin up hold k documents, at least k reach the
// lowest score of that bin.
//
// Mapping: one warp a query; all 32 lanes call together, and all get the result. Shared memory: none.
#include "leaf/gpu/batch.h"
#include "leaf/gpu/block.cuh"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu::search {

__device__ inline std::uint32_t bin_of(const QueryOnDevice& query, scoring::Score score) {
  return score < query.bin_base ? 0 : min((score - query.bin_base) >> query.bin_shift, kBins - 1);
}

// The lowest score of the highest bin that, with the bins above it, holds k documents; 0: there are fewer. load(i)
// returns bins i .. i + 3. Other warps may add to the bins meanwhile: the result is then valid, but may be too low.
// Documents with lower scores than bin_base must not be wanted, since they count in the first bin.
template <class Load>
__device__ inline scoring::Score threshold_of(Load load, const QueryOnDevice& query, std::uint32_t lane) {
  const std::uint32_t k = query.k;
  std::uint32_t above = 0;
  for (std::uint32_t top = kBins; top > 0; top -= 128) {
    const std::uint32_t first = top - 4 - 4 * lane;  // lane 0 has the four highest
    const uint4 four = load(first);
    const std::uint32_t sum = four.x + four.y + four.z + four.w;
    const std::uint32_t before = above + sum_before(sum, lane);
    const std::uint32_t here = __ballot_sync(kFullWarp, before < k && before + sum >= k);
    if (here != 0) {
      std::uint32_t bin = first;
      if (before + four.w >= k)
        bin += 3;
      else if (before + four.w + four.z >= k)
        bin += 2;
      else if (before + four.w + four.z + four.y >= k)
        bin += 1;
      bin = __shfl_sync(kFullWarp, bin, __ffs(static_cast<int>(here)) - 1);
      return query.bin_base + (bin << query.bin_shift);
    }
    above = __shfl_sync(kFullWarp, before + sum, 31);
  }
  return 0;
}

__device__ inline scoring::Score threshold_of_query(const BatchOnDevice& batch, std::uint32_t query,
                                                    std::uint32_t lane) {
  const std::uint32_t* bins = batch.bins + std::size_t{query} * kBins;
  const auto load = [bins](std::uint32_t first) { return __ldcg(reinterpret_cast<const uint4*>(bins + first)); };
  return threshold_of(load, batch.queries[query], lane);
}

}  // namespace frond::leaf::gpu::search
