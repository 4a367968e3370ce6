#include "common/device/launch.cuh"
#include "leaf/gpu/block.cuh"
#include "tools/papers/term_at_a_time/term_at_a_time_kernels.h"

namespace frond::tools::papers {
namespace {

using leaf::gpu::kFullWarp;

constexpr std::uint32_t kWarps = kGroup / 32;  // of a thread block, which has one thread for each element of a group

__device__ std::uint64_t key_of(scoring::Score score, DocId docid) {
  return score == 0 ? 0 : std::uint64_t{score} << 32 | (~docid);
}

// The largest key of the thread block, returned to all its threads.
__device__ std::uint64_t max_of_block(std::uint64_t key, std::uint64_t* of_warps) {
  const std::uint32_t lane = leaf::gpu::lane_of_warp();
  for (std::uint32_t distance = 16; distance > 0; distance /= 2)
    key = max(key, __shfl_sync(kFullWarp, key, static_cast<int>(lane ^ distance)));
  if (lane == 0) of_warps[threadIdx.x / 32] = key;
  __syncthreads();
  for (std::uint32_t i = 0; i < kWarps; ++i) key = max(key, of_warps[i]);
  __syncthreads();
  return key;
}

__global__ void __launch_bounds__(kGroup)
    maxima_of_scores(const scoring::Score* scores, std::uint32_t count, std::uint64_t* maxima) {
  __shared__ std::uint64_t of_warps[kWarps];
  const std::uint32_t i = blockIdx.x * kGroup + threadIdx.x;
  const std::uint64_t key = max_of_block(i < count ? key_of(scores[i], i) : 0, of_warps);
  if (threadIdx.x == 0) maxima[blockIdx.x] = key;
}

__global__ void __launch_bounds__(kGroup)
    maxima_of_keys(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* maxima) {
  __shared__ std::uint64_t of_warps[kWarps];
  const std::uint32_t i = blockIdx.x * kGroup + threadIdx.x;
  const std::uint64_t key = max_of_block(i < count ? keys[i] : 0, of_warps);
  if (threadIdx.x == 0) maxima[blockIdx.x] = key;
}

// Launched with one thread block.
__global__ void __launch_bounds__(kGroup) extract_best(Tournament from, std::uint32_t k, std::uint64_t* best) {
  __shared__ std::uint64_t of_warps[kWarps];
  const std::uint32_t top = from.levels - 1;
  for (std::uint32_t rank = 0; rank < k; ++rank) {
    const std::uint64_t key =
        max_of_block(threadIdx.x < from.counts[top] ? from.maxima[top][threadIdx.x] : 0, of_warps);
    const DocId docid = ~static_cast<DocId>(key);
    if (threadIdx.x == 0) {
      best[rank] = key;
      if (key != 0) from.scores[docid] = 0;
    }
    __syncthreads();
    if (key == 0) continue;
    // Updates the maxima up the tree: of the document's group, of that group's group, …
    std::uint32_t group = docid / kGroup;
    for (std::uint32_t level = 0; level < from.levels; ++level) {
      const std::uint32_t i = group * kGroup + threadIdx.x;
      std::uint64_t own = 0;
      if (level == 0)
        own = i < from.documents ? key_of(from.scores[i], i) : 0;
      else
        own = i < from.counts[level - 1] ? from.maxima[level - 1][i] : 0;
      const std::uint64_t now = max_of_block(own, of_warps);
      if (threadIdx.x == 0) from.maxima[level][group] = now;
      __syncthreads();
      group /= kGroup;
    }
  }
}

}  // namespace

Result<void> find_maxima(const scoring::Score* scores, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream) {
  return device::launch("find_maxima", maxima_of_scores, (count + kGroup - 1) / kGroup, kGroup, stream, scores, count,
                        maxima);
}

Result<void> find_maxima(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream) {
  return device::launch("find_maxima", maxima_of_keys, (count + kGroup - 1) / kGroup, kGroup, stream, keys, count,
                        maxima);
}

Result<void> extract(const Tournament& from, std::uint32_t k, std::uint64_t* best, device::StreamHandle stream) {
  return device::launch("extract", extract_best, 1, kGroup, stream, from, k, best);
}

}  // namespace frond::tools::papers
