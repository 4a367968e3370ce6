#include <cub/device/device_scan.cuh>

#include "common/device/launch.cuh"
#include "leaf/gpu/intersect/kernels.h"

namespace frond::leaf::gpu::intersect {
namespace {

constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;

// One warp a tile.
__global__ void __launch_bounds__(kThreads) gather(BatchOnDevice batch) {
  const std::uint32_t tile = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (tile >= batch.tile_count) return;
  const std::uint32_t begin = batch.begins[tile], count = batch.counts[tile];
  const DocId* found = batch.found + std::size_t{tile} * kTile;
  for (std::uint32_t i = lane; i < count; i += 32) batch.answers[begin + i] = found[i];
  if (lane != 0) return;
  const std::uint32_t query = batch.tile_queries[tile];
  if (batch.queries[query].first_tile == tile) batch.answer_begins[query] = begin;
  if (tile + 1 == batch.tile_count) batch.answer_begins[batch.query_count] = begin + count;
}

}  // namespace

Result<std::size_t> scan_bytes(std::uint32_t most_tiles) {
  std::size_t bytes = 0;
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  FROND_TRY(device::status_of(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, static_cast<int>(most_tiles), cudaStream_t{}),
      "scan_bytes"));
  return bytes;
}

Result<void> compact(const BatchOnDevice& batch, std::byte* space, std::size_t bytes, device::StreamHandle stream) {
  if (batch.tile_count == 0) return {};
  FROND_TRY(device::status_of(cub::DeviceScan::ExclusiveSum(space, bytes, batch.counts, batch.begins,
                                                            static_cast<int>(batch.tile_count), stream),
                              "sum up the tiles' counts"));
  return device::launch("gather", gather, (batch.tile_count + kWarps - 1) / kWarps, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::intersect
