#include "common/device/clock.cuh"
#include "common/device/early_launch.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/block_steps.cuh"
#include "leaf/gpu/search/kernels.h"
#include "leaf/gpu/search/threshold.cuh"

namespace frond::leaf::gpu::search {
namespace {

constexpr std::uint32_t kThreads = 256;

// Largest first, by the whole thread block.
__device__ void sort_keys(std::uint64_t* keys, std::uint32_t count) {
  sort_places<kThreads>(count, [keys](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t first = keys[a], second = keys[b];
    if (first >= second) return;
    keys[a] = second;
    keys[b] = first;
  });
}

// Writes the query's answer for the host, which polls the launch's number. One thread calls it, when the whole thread
// block has written its hits.
__device__ void answer_host(const BatchOnDevice& batch, std::uint32_t query, scoring::Score threshold,
                            std::uint32_t found) {
  const QueryState& state = batch.states[query];
  AnswerOfQuery& answer = batch.answers[query];
  answer.threshold = threshold;
  answer.matches = state.matches;
  answer.runs = state.runs;
  answer.hidden_postings = state.hidden_postings;
  answer.found = found;
  answer.bin_shift = batch.queries[query].bin_shift;
  answer.began_ns = state.began_ns;
  answer.ended_ns = device::nanoseconds_now();
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(&answer.launch) = batch.launch;
}

// Mapping: one thread block of 256 threads a query. Result: hits and answer in pinned host memory, complete when the
// answer has the launch's number. Shared memory: 32 KiB of keys and 8 bytes. Candidates that reach the last threshold
// are sorted there.
__global__ void __launch_bounds__(kThreads) select_query(BatchOnDevice batch) {
  __shared__ std::uint64_t keys[kMaxSorted];
  __shared__ std::uint32_t count;
  __shared__ scoring::Score threshold;
  device::await_kernel_before();
  const std::uint32_t query = blockIdx.x;
  if (batch.counts) {
    if (threadIdx.x == 0) answer_host(batch, query, 0, 0);
    return;
  }
  const QueryState& state = batch.states[query];
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
    if (to < kMaxSorted) keys[to] = key;
  }
  __syncthreads();
  const std::uint32_t left = count;
  const bool room = emitted <= batch.candidates && left <= kMaxSorted;
  const std::uint32_t found = min(left, batch.queries[query].k);
  if (!room) {  // uniform across the thread block
    if (threadIdx.x == 0) answer_host(batch, query, threshold, emitted >= kDamaged ? kNoAnswer : kNoRoom);
    return;
  }
  sort_keys(keys, left);
  HitOnDevice* hits = batch.hits + std::size_t{query} * batch.hits_stride;
  for (std::uint32_t i = threadIdx.x; i < found; i += kThreads)
    hits[i] = {~static_cast<DocId>(keys[i]), static_cast<scoring::Score>(keys[i] >> 32)};
  __syncthreads();
  if (threadIdx.x == 0) answer_host(batch, query, threshold, found);
}

}  // namespace

Result<void> select_hits(const BatchOnDevice& batch, device::StreamHandle stream) {
  const auto launch = batch.early ? device::launch_early<BatchOnDevice> : device::launch<BatchOnDevice>;
  return launch("select_hits", select_query, batch.query_count, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::search
