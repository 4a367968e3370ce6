#include "common/device/clock.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/search.h"
#include "leaf/gpu/threshold.cuh"

namespace frond::leaf::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

// Bitonic, the largest first. `size` is a power of two, at most kSorted.
__device__ void sort_keys(std::uint64_t* keys, std::uint32_t size) {
  for (std::uint32_t run = 2; run <= size; run *= 2) {
    for (std::uint32_t distance = run / 2; distance > 0; distance /= 2) {
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += kThreads) {
        const std::uint32_t low = 2 * i - (i & (distance - 1)), high = low + distance;
        const bool descending = (low & run) == 0;
        const std::uint64_t a = keys[low], b = keys[high];
        if ((a < b) == descending) {
          keys[low] = b;
          keys[high] = a;
        }
      }
      __syncthreads();
    }
  }
}

// One thread block a query: those of its candidates that reach the last threshold, sorted in 32 KiB of shared memory.
__global__ void __launch_bounds__(kThreads) select_query(BatchOnDevice batch) {
  __shared__ std::uint64_t keys[kSorted];
  __shared__ std::uint32_t count;
  __shared__ scoring::Score threshold;
  const std::uint32_t query = blockIdx.x;
  QueryState& state = batch.states[query];
  if (threadIdx.x < 32) {
    const scoring::Score last = threshold_of_query(batch, query, threadIdx.x);
    if (threadIdx.x == 0) {
      count = 0;
      threshold = max(last, state.threshold);
    }
  }
  __syncthreads();
  const std::uint32_t emitted = state.emitted, held = min(emitted, batch.candidates);
  const std::uint64_t* from = batch.keys + std::size_t{query} * batch.candidates;
  for (std::uint32_t i = threadIdx.x; i < held; i += kThreads) {
    const std::uint64_t key = from[i];
    if (static_cast<scoring::Score>(key >> 32) < threshold) continue;
    const std::uint32_t to = atomicAdd(&count, 1u);
    if (to < kSorted) keys[to] = key;
  }
  __syncthreads();
  const std::uint32_t left = count;
  const bool room = emitted <= batch.candidates && left <= kSorted;
  const std::uint32_t found = min(left, batch.queries[query].k);
  if (threadIdx.x == 0) {
    state.threshold = threshold;
    state.found = room ? found : kNoRoom;
    state.ended_ns = device::nanoseconds_now();  // for now
  }
  if (!room) return;  // the whole thread block
  std::uint32_t size = 1;
  while (size < left) size *= 2;
  for (std::uint32_t i = left + threadIdx.x; i < size; i += kThreads) keys[i] = 0;
  __syncthreads();
  sort_keys(keys, size);
  HitOnDevice* hits = batch.hits + std::size_t{query} * batch.hits_stride;
  for (std::uint32_t i = threadIdx.x; i < found; i += kThreads)
    hits[i] = {~static_cast<DocId>(keys[i]), static_cast<scoring::Score>(keys[i] >> 32)};
  if (threadIdx.x == 0) state.ended_ns = device::nanoseconds_now();
}

}  // namespace

Result<void> select_hits(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("select_hits", select_query, batch.query_count, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu
