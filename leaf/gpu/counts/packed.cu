// The kernels of a batch of counts: the first, the last, and the one between for lists in simd-bp128; codecs/mixed.cu
// has that for others.
#include "common/device/clock.cuh"
#include "leaf/gpu/counts/count_kernel.cuh"

namespace frond::leaf::gpu::counts {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kStartBlocks = 264;  // two for each processor of an H200

// Mapping: any number of thread blocks. Result: plain data, counters and matches in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) start_batch(CountBatch batch) {
  const std::uint32_t first = blockIdx.x * kThreads + threadIdx.x;
  if (first == 0) *batch.began_ns = device::nanoseconds_now();
  const auto* from = reinterpret_cast<const uint4*>(batch.staged);
  auto* to = reinterpret_cast<uint4*>(batch.input);
  for (std::uint32_t i = first; i < batch.input_bytes / 16; i += kStartBlocks * kThreads) to[i] = from[i];
  for (std::uint32_t i = first; i < batch.counter_count; i += kStartBlocks * kThreads) batch.counters[i] = 0;
  for (std::uint32_t i = first; i < batch.query_count; i += kStartBlocks * kThreads) batch.matches[i] = 0;
}

// Mapping: a thread block a query. Result: its counters and its answer in pinned host memory, complete when the answer
// has the launch's number. Shared memory: none.
__global__ void __launch_bounds__(kThreads) deliver_query(CountBatch batch) {
  const CountedQuery& query = batch.queries[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < query.counters; i += kThreads)
    batch.counted[query.first_counter + i] = batch.counters[query.first_counter + i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  AnswerOfQuery& answer = batch.answers[blockIdx.x];
  answer.matches = batch.matches[blockIdx.x];
  answer.began_ns = *batch.began_ns;
  answer.ended_ns = device::nanoseconds_now();
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(&answer.launch) = batch.launch;
}

}  // namespace

Result<void> start_counts(const CountBatch& batch, device::StreamHandle stream) {
  return device::launch("start_counts", start_batch, kStartBlocks, kThreads, stream, batch);
}

Result<void> count_documents(const CountBatch& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return count_documents_mixed(batch, stream);
  return launch_count_documents<search::PackedLists, kThreads>(batch, stream);
}

Result<void> deliver_counts(const CountBatch& batch, device::StreamHandle stream) {
  return device::launch("deliver_counts", deliver_query, batch.query_count, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::counts
