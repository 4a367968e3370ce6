// Where tokens and chunks begin in a text: a bit for each byte, and then the places of the bits.
#include "common/device/launch.cuh"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/device/kernels.h"
#include "indexer/invert/gpu/text/device/text_rules.cuh"

namespace frond::indexer::invert::gpu {
namespace {

__device__ std::uint32_t unit_count(const TextBatch& batch) { return (batch.text_bytes + kUnitBytes - 1) / kUnitBytes; }

// Mapping: a thread a unit of 32 bytes, which is on 16 bytes. Result: masks and counts of units; counts as they are
// before a batch. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) mark_entries(TextBatch batch, std::uint32_t threads) {
  const std::uint32_t rules = batch.rules;
  if (first_of_thread() == 0) *batch.counts = {.tokens = batch.first_new, .places = batch.first_new};
  for (std::uint32_t unit = first_of_thread(); unit < unit_count(batch); unit += threads) {
    const std::uint8_t* const at = batch.text + std::size_t{unit} * kUnitBytes;
    uint4 words[2];
    words[0] = __ldg(reinterpret_cast<const uint4*>(at));
    words[1] = __ldg(reinterpret_cast<const uint4*>(at) + 1);
    std::uint32_t second = class_of(at[-2], rules), first = class_of(at[-1], rules), mask = 0;
    const auto take = [&](std::uint32_t four, std::uint32_t place) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t here = class_of(four >> 8 * i & 0xff, rules);
        if (is_entry(second, first, here)) mask |= 1u << (place + i);
        second = first;
        first = here;
      }
    };
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      take(words[half].x, 16 * half);
      take(words[half].y, 16 * half + 4);
      take(words[half].z, 16 * half + 8);
      take(words[half].w, 16 * half + 12);
    }
    batch.unit_masks[unit] = mask;
    batch.unit_counts[unit] = static_cast<std::uint32_t>(__popc(mask));
  }
}

// Mapping: a thread a unit. Result: starts, counts->entries. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) list_entries(TextBatch batch, std::uint32_t threads) {
  const std::uint32_t units = unit_count(batch);
  for (std::uint32_t unit = first_of_thread(); unit < units; unit += threads) {
    std::uint32_t place = batch.unit_places[unit];
    for (std::uint32_t mask = batch.unit_masks[unit]; mask != 0; mask &= mask - 1)
      batch.starts[place++] = unit * kUnitBytes + static_cast<std::uint32_t>(__ffs(static_cast<int>(mask))) - 1;
    if (unit + 1 == units) batch.counts->entries = place;
  }
}

}  // namespace

Result<void> cut_text(const TextBatch& batch, const KernelPlace& place) {
  const std::uint32_t units = (batch.text_bytes + kUnitBytes - 1) / kUnitBytes;
  FROND_TRY(launch_grid("mark_entries", mark_entries, units, place, batch));
  FROND_TRY(sum_before(batch.unit_counts, batch.unit_places, units, place));
  return launch_grid("list_entries", list_entries, units, place, batch);
}

}  // namespace frond::indexer::invert::gpu
