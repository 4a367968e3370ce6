// The kernels of a batch of counts or orders: the first, the last, and the one between for lists in simd-bp128;
// codecs/mixed.cu has that for others.
#include "common/device/clock.cuh"
#include "leaf/gpu/counts/count_kernel.cuh"

namespace frond::leaf::gpu::counts {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kStartBlocks = 264;  // two for each processor of an H200

// Mapping: any number of thread blocks. Result: plain data, counters and matches, and what orders begin with, in device
// memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) start_batch(CountBatch batch) {
  const std::uint32_t first = blockIdx.x * kThreads + threadIdx.x;
  if (first == 0) *batch.began_ns = device::nanoseconds_now();
  const auto* from = reinterpret_cast<const uint4*>(batch.staged);
  auto* to = reinterpret_cast<uint4*>(batch.input);
  for (std::uint32_t i = first; i < batch.input_bytes / 16; i += kStartBlocks * kThreads) to[i] = from[i];
  for (std::uint32_t i = first; i < batch.counter_count; i += kStartBlocks * kThreads) batch.counters[i] = 0;
  for (std::uint32_t i = first; i < batch.query_count; i += kStartBlocks * kThreads) batch.matches[i] = 0;
  if (batch.most_hits == 0) return;
  for (std::uint32_t i = first; i < batch.query_count; i += kStartBlocks * kThreads)
    batch.limits[i] = ~std::uint64_t{0};
  const std::uint32_t pieces = batch.query_count * batch.pieces;
  for (std::uint32_t i = first; i < pieces; i += kStartBlocks * kThreads) batch.held[i] = 0;
}

// Writes the query's counters, and its answer when all threads of the block have written what belongs to it, to pinned
// host memory. The answer is complete when it has the launch's number.
__device__ void deliver(const CountBatch& batch, const CountedQuery& query, std::uint32_t found) {
  for (std::uint32_t i = threadIdx.x; i < query.counters; i += kThreads)
    batch.counted[query.first_counter + i] = batch.counters[query.first_counter + i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  AnswerOfQuery& answer = batch.answers[blockIdx.x];
  answer.matches = batch.matches[blockIdx.x];
  answer.found = found;
  answer.began_ns = *batch.began_ns;
  answer.ended_ns = device::nanoseconds_now();
  __threadfence_system();
  *static_cast<volatile std::uint64_t*>(&answer.launch) = batch.launch;
}

// Mapping: a thread block a query. Result: its counters and its answer in pinned host memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) deliver_query(CountBatch batch) {
  deliver(batch, batch.queries[blockIdx.x], 0);
}

// The same with the query's k first documents, and their scores. Shared memory: 18 KiB of keys.
__global__ void __launch_bounds__(kThreads) deliver_ordered_query(CountBatch batch) {
  __shared__ FirstKeys kept;
  __shared__ std::uint32_t any[3];
  const std::uint32_t number = blockIdx.x;
  const CountedQuery& query = batch.queries[number];
  if (threadIdx.x < 3) any[threadIdx.x] = 0;
  if (threadIdx.x == 0) clear_kept(kept, batch.limits[number]);
  __syncthreads();
  put_together<kThreads>(batch, number, query.k, kept, any);
  std::uint32_t* const hits = batch.counted + batch.counter_count + std::size_t{number} * batch.most_hits;
  for (std::uint32_t i = threadIdx.x; i < kept.count; i += kThreads)
    hits[i] = query.last_first != 0 ? ~kept.ties[i] : kept.ties[i];
  if (batch.scored != nullptr)
    for (std::uint32_t i = threadIdx.x; i < kept.count; i += kThreads)
      hits[std::size_t{batch.query_count} * batch.most_hits + i] =
          score_in(batch.keys + query.first_key, query.keys, kept.keys[i]);
  deliver(batch, query, kept.count);
}

}  // namespace

Result<void> start_counts(const CountBatch& batch, device::StreamHandle stream) {
  return device::launch("start_counts", start_batch, kStartBlocks, kThreads, stream, batch);
}

Result<void> count_documents(const CountBatch& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return count_documents_mixed(batch, stream);
  return launch_count_documents<search::PackedLists, kThreads, 2 * kThreads>(batch, stream);
}

Result<void> deliver_counts(const CountBatch& batch, device::StreamHandle stream) {
  auto* const kernel = batch.most_hits > 0 ? deliver_ordered_query : deliver_query;
  return device::launch("deliver_counts", kernel, batch.query_count, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::counts
