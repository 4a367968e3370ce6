#include "common/device/clock.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/search.h"
#include "leaf/gpu/threshold.cuh"

namespace frond::leaf::gpu {
namespace {

constexpr std::uint32_t kThreads = 512, kWarps = kThreads / 32;

// Scores a block of one term, without the others, into the bins.
__device__ void score_block(const QueryOnDevice& query, const TermOnDevice& term, std::uint32_t block,
                            std::uint32_t* bins, std::uint32_t lane) {
  const BlockEntry entry = load_entry(term.list.blocks + block);
  const std::uint32_t before = docid_before(term.list.blocks, block);
  const Four docids = decode_docids(term.list.image, entry.docids, before, lane);
  const Four frequencies = unpack_four(term.list.image, entry.frequencies, lane);
  const std::uint32_t count = entry.deficit_and_count & 0xffffu;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (4 * lane + i >= count) break;
    const std::uint32_t length = __ldg(query.lengths + docids.at[i]);
    const scoring::Score score = scoring::contribution(term.weight, frequencies.at[i] + 1, length, query.norm);
    atomicAdd(bins + bin_of(score, query.bin_shift), 1u);
  }
}

// One thread block a query.
__global__ void __launch_bounds__(kThreads) start_query(BatchOnDevice batch) {
  alignas(16) __shared__ std::uint32_t bins[kBins];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const QueryOnDevice& query = batch.queries[blockIdx.x];
  const std::uint64_t began_ns = device::nanoseconds_now();
  for (std::uint32_t i = threadIdx.x; i < kBins; i += kThreads) {
    bins[i] = 0;
    batch.bins[std::size_t{blockIdx.x} * kBins + i] = 0;
  }
  __syncthreads();
  if (query.seed_term < query.terms) {
    const TermOnDevice& term = batch.terms[query.first_term + query.seed_term];
    const std::uint32_t tries = min(term.list.best_count, query.k <= 10 ? kWarps : term.list.best_count);
    for (std::uint32_t i = warp; i < tries; i += kWarps)
      score_block(query, term, __ldg(term.list.best + i), bins, lane);
  }
  __syncthreads();
  if (warp != 0) return;
  const auto load = [](std::uint32_t first) { return *reinterpret_cast<const uint4*>(bins + first); };
  const scoring::Score first = threshold_of(load, query.k, query.bin_shift, lane);
  if (lane == 0 && blockIdx.x == 0) *batch.next_place = batch.search_warps;  // those before have one to begin with
  if (lane == 0) batch.states[blockIdx.x] = {max(first, query.floor), 0, 0, 0, 0, began_ns, began_ns};
}

}  // namespace

Result<void> start_queries(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("start_queries", start_query, batch.query_count, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu
