#pragma once
// The k first documents that a thread block has met, by key and tie (engine/code_order.h), in shared memory: threads
// offer documents until there is no room, then all of them drop what is behind the k-th, and offer on.
#include "leaf/gpu/block_steps.cuh"
#include "leaf/gpu/counts/count_batch.h"

namespace frond::leaf::gpu::counts {

// 18 KiB of shared memory.
struct FirstKeys {
  std::uint64_t keys[kKeptPlaces];
  std::uint32_t ties[kKeptPlaces];
  std::uint32_t count;  // offered: above kKeptPlaces some found no room
  // What comes behind this is not among the k first.
  std::uint32_t last_tie;
  std::uint64_t last_key;
};

__device__ inline bool comes_first(std::uint64_t key, std::uint32_t tie, std::uint64_t other_key,
                                   std::uint32_t other_tie) {
  return key < other_key || (key == other_key && tie < other_tie);
}

// One thread; a barrier is to follow.
__device__ inline void clear_kept(FirstKeys& kept, std::uint64_t last_key) {
  kept.count = 0;
  kept.last_key = last_key;
  kept.last_tie = ~0u;
}

// False: there is no room. Any lane, also under divergence.
__device__ inline bool offer(FirstKeys& kept, std::uint64_t key, std::uint32_t tie) {
  if (comes_first(kept.last_key, kept.last_tie, key, tie)) return true;
  const std::uint32_t at = atomicAdd(&kept.count, 1u);
  if (at >= kKeptPlaces) return false;
  kept.keys[at] = key;
  kept.ties[at] = tie;
  return true;
}

// Leaves the k first, in their order. All threads of the block, behind a barrier; ends with one. Whether there are k.
template <std::uint32_t kThreads>
__device__ inline bool keep_first(FirstKeys& kept, std::uint32_t k) {
  const std::uint32_t held = min(kept.count, kKeptPlaces);
  __syncthreads();
  sort_places<kThreads>(held, [&kept](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = kept.keys[a], other_key = kept.keys[b];
    const std::uint32_t tie = kept.ties[a], other_tie = kept.ties[b];
    if (!comes_first(other_key, other_tie, key, tie)) return;
    kept.keys[a] = other_key;
    kept.ties[a] = other_tie;
    kept.keys[b] = key;
    kept.ties[b] = tie;
  });
  if (threadIdx.x == 0) {
    kept.count = min(held, k);
    if (held >= k) {
      kept.last_key = kept.keys[k - 1];
      kept.last_tie = kept.ties[k - 1];
    }
  }
  __syncthreads();
  return held >= k;
}

}  // namespace frond::leaf::gpu::counts
