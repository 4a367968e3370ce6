// Postings of all records to the places of their terms.
#include "common/device/launch.cuh"
#include "common/device/warp.cuh"
#include "indexer/invert/gpu/kernels.h"

namespace frond::indexer::invert::gpu {
namespace {

using device::kFullWarp, device::lane_of_warp;

constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;
constexpr std::uint32_t kBlocksPerProcessor = 8;

__device__ std::uint32_t u16_at(const std::byte* at) {
  return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8;
}

// Mapping: one warp a record. Result: numbers and frequencies in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) scatter(const TermRecord* records, std::uint32_t count,
                                                    const std::byte* store, ScatteredPostings to, std::uint32_t warps) {
  const std::uint32_t lane = lane_of_warp();
  for (std::uint32_t r = blockIdx.x * kWarps + threadIdx.x / 32; r < count; r += warps) {
    const TermRecord record = records[r];
    const auto* const numbers = reinterpret_cast<const std::uint32_t*>(store + record.numbers_at);
    std::uint32_t place = to.offsets[record.term] + record.first;
    for (std::uint32_t base = 0; base < record.postings; base += 32) {
      const bool there = base + lane < record.postings;
      const std::byte* const posting = store + record.postings_at + 4 * std::uint64_t{base + lane};
      const std::uint32_t number = there ? numbers[u16_at(posting)] : kDroppedNumber;
      const std::uint32_t kept = __ballot_sync(kFullWarp, number != kDroppedNumber);
      const std::uint32_t before = static_cast<std::uint32_t>(__popc(kept & ((1u << lane) - 1)));
      if (number != kDroppedNumber) {
        to.numbers[place + before] = number;
        to.frequencies[place + before] = u16_at(posting + 2);
      }
      place += static_cast<std::uint32_t>(__popc(kept));
    }
  }
}

}  // namespace

Result<void> scatter_postings(const TermRecord* records, std::uint32_t count, const std::byte* store,
                              const ScatteredPostings& to, std::uint32_t processors, device::StreamHandle stream) {
  const std::uint32_t wanted = (count + kWarps - 1) / kWarps;
  const std::uint32_t blocks = min(wanted, processors * kBlocksPerProcessor);
  return device::launch("scatter_postings", scatter, blocks, kThreads, stream, records, count, store, to,
                        blocks * kWarps);
}

}  // namespace frond::indexer::invert::gpu
