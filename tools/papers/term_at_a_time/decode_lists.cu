#include "tools/papers/term_at_a_time/decode_lists.h"

#include "common/device/launch.cuh"
#include "leaf/gpu/block.cuh"

namespace frond::tools::papers {
namespace {

using leaf::gpu::BlockEntry, leaf::gpu::DeviceList, leaf::gpu::Four, leaf::gpu::kFullWarp, leaf::gpu::lane_of_warp;

constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;
// How many blocks a warp decodes, one after the other. It loads their entries together, one by each lane.
constexpr std::uint32_t kRun = 8;

struct Decoding {
  const DecodeTask* tasks;
  std::uint32_t task_count, block_count;
  uint4* docids;
  uint4* frequencies;
};

// The task that has the block: the last one that begins at or before it.
__device__ std::uint32_t task_of(const Decoding& of, std::uint32_t block) {
  std::uint32_t low = 0, high = of.task_count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (of.tasks[middle].first_block <= block)
      low = middle;
    else
      high = middle;
  }
  return low;
}

__device__ void write_once(uint4* to, const Four& numbers) {
  __stcs(to, make_uint4(numbers.at[0], numbers.at[1], numbers.at[2], numbers.at[3]));
}

// Mapping: one warp a run of kRun blocks; a run may begin in one list and end in another.
__global__ void __launch_bounds__(kThreads) decode_runs(Decoding of) {
  const std::uint32_t lane = lane_of_warp(), from = (blockIdx.x * kWarps + threadIdx.x / 32) * kRun;
  if (from >= of.block_count) return;  // uniform across the warp
  std::uint32_t task = task_of(of, from);
  for (std::uint32_t done = 0; done < kRun && from + done < of.block_count;) {
    const DeviceList& list = of.tasks[task].list;
    const std::uint32_t first = from + done - of.tasks[task].first_block;
    const std::uint32_t count = min(list.block_count - first, kRun - done);
    BlockEntry entry{};
    std::uint32_t before = 0;
    if (lane < count) {
      entry = leaf::gpu::load_entry(list.blocks + first + lane);
      before = leaf::gpu::docid_before(list.blocks, first + lane);
    }
    const std::byte* image = list.image;
    const auto decode = [&](std::uint32_t i, const Four& distances) {
      const std::uint32_t start = __shfl_sync(kFullWarp, before, static_cast<int>(i));
      write_once(of.docids + (std::size_t{from} + done + i) * 32 + lane, device::add_up(distances, start, lane));
    };
    const auto unpack = [&](std::uint32_t places, std::uint32_t i) {
      return leaf::gpu::unpack_four(image, __shfl_sync(kFullWarp, places, static_cast<int>(i)), lane);
    };
    // Two at a time, so that the second's loads are under way while the first is summed up.
    for (std::uint32_t i = 0; i < count; i += 2) {
      const Four one = unpack(entry.docids, i);
      const Four two = unpack(entry.docids, min(i + 1, count - 1));
      decode(i, one);
      if (i + 1 < count) decode(i + 1, two);
    }
    for (std::uint32_t i = 0; i < count && of.frequencies != nullptr; ++i) {
      Four numbers = unpack(entry.frequencies, i);
      for (std::uint32_t& number : numbers.at) number += 1;
      write_once(of.frequencies + (std::size_t{from} + done + i) * 32 + lane, numbers);
    }
    done += count;
    ++task;
  }
}

}  // namespace

Result<void> decode_lists(const DecodeTask* tasks, std::uint32_t task_count, std::uint32_t block_count,
                          std::uint32_t* docids, std::uint32_t* frequencies, device::StreamHandle stream) {
  const Decoding of{tasks, task_count, block_count, reinterpret_cast<uint4*>(docids),
                    reinterpret_cast<uint4*>(frequencies)};
  const std::uint32_t runs = (block_count + kRun - 1) / kRun;
  return device::launch("decode_lists", decode_runs, (runs + kWarps - 1) / kWarps, kThreads, stream, of);
}

}  // namespace frond::tools::papers
