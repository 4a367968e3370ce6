#include "common/device/launch.cuh"
#include "leaf/gpu/intersect/kernels.h"
#include "leaf/gpu/intersect/plain_search.h"

namespace frond::leaf::gpu::intersect {
namespace {

constexpr std::uint32_t kThreads = 256;

// The pair that a splitter belongs to: the last one that begins at or before it. (A pair without splitters begins where
// the next one does.)
__device__ std::uint32_t pair_of(const BatchOnDevice& batch, std::uint32_t level, std::uint32_t splitter) {
  std::uint32_t low = 0, high = batch.pair_count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (batch.pairs[middle].first[level] <= splitter)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Mapping: one thread a splitter. Result: its position in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) find_level(BatchOnDevice batch, std::uint32_t level) {
  const std::uint32_t splitter = batch.level_begins[level] + blockIdx.x * kThreads + threadIdx.x;
  if (splitter >= batch.level_begins[level + 1]) return;
  const PairOnDevice& pair = batch.pairs[pair_of(batch, level, splitter)];
  const ListView &shorter = batch.views[pair.shorter], &longer = batch.views[pair.longer];
  const std::uint32_t number = splitter - pair.first[level];
  std::uint32_t low = 0, high = longer.count;
  if (level + 1 < batch.levels) {
    const std::uint32_t* coarser = batch.positions + pair.first[level + 1];
    const std::uint32_t parent = number / kSplitterFan;
    low = coarser[parent];
    if (parent + 1 < splitters_of(shorter.count, level + 1)) high = coarser[parent + 1];
  }
  const DocId docid = docids_of(shorter)[number * splitter_stride(level)];
  batch.positions[splitter] = lower_bound(docids_of(longer), low, high, docid);
}

}  // namespace

Result<void> find_splitters(const BatchOnDevice& batch, device::StreamHandle stream) {
  for (std::uint32_t level = batch.levels; level-- > 0;) {
    const std::uint32_t splitters = batch.level_begins[level + 1] - batch.level_begins[level];
    FROND_TRY(device::launch("find_splitters", find_level, (splitters + kThreads - 1) / kThreads, kThreads, stream,
                             batch, level));
  }
  return {};
}

}  // namespace frond::leaf::gpu::intersect
