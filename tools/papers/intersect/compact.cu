#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "common/device/launch.cuh"
#include "tools/papers/intersect/batch.h"

namespace frond::tools::papers {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kMaxBlocks = 1056;  // an H200 runs that many thread blocks at once

// The tile that the answer at `place` comes from: the last of tiles [low, high) whose answers begin at or before the
// place. (A tile without answers begins where the next one does.)
__device__ std::uint32_t tile_of(const BatchOnDevice& batch, std::uint32_t low, std::uint32_t high,
                                 std::uint32_t place) {
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (batch.begins[middle] <= place)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Mapping: thread t writes answers t, t + threads, t + 2 threads, … So a warp writes 128 aligned bytes to the host at a
// time, whichever tiles they come from. (With a warp for each tile, about 70 documents that begin anywhere, the bus
// reached half of its speed.) Result: answers in pinned host memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) gather(BatchOnDevice batch, std::uint32_t threads) {
  const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  const std::uint32_t tiles = batch.tile_count;
  const std::uint32_t all = batch.begins[tiles - 1] + batch.counts[tiles - 1];
  for (std::uint32_t query = thread; query <= batch.query_count; query += threads)
    batch.answer_begins[query] = query < batch.query_count ? batch.begins[batch.queries[query].first_tile] : all;
  for (std::uint32_t first = thread - lane; first < all; first += threads) {
    const std::uint32_t place = first + lane, low = tile_of(batch, 0, tiles, first);
    const std::uint32_t high = tile_of(batch, low, tiles, min(first + 31, all - 1)) + 1;
    if (place >= all) continue;
    const std::uint32_t tile = tile_of(batch, low, high, place);
    batch.answers[place] = batch.found[std::size_t{tile} * kTile + place - batch.begins[tile]];
  }
}

}  // namespace

Result<std::size_t> scan_bytes(std::uint32_t max_tiles) {
  std::size_t bytes = 0;
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  FROND_TRY(device::status_of(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, static_cast<int>(max_tiles), cudaStream_t{}),
      "scan_bytes"));
  return bytes;
}

Result<void> compact(const BatchOnDevice& batch, std::byte* space, std::size_t bytes, device::StreamHandle stream) {
  if (batch.tile_count == 0) return {};
  FROND_TRY(device::status_of(cub::DeviceScan::ExclusiveSum(space, bytes, batch.counts, batch.begins,
                                                            static_cast<int>(batch.tile_count), stream),
                              "sum up the tiles' counts"));
  const std::uint32_t blocks = std::min(kMaxBlocks, batch.tile_count);  // a tile has at most kTile answers
  return device::launch("gather", gather, blocks, kThreads, stream, batch, blocks * kThreads);
}

}  // namespace frond::tools::papers
