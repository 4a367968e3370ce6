// Terms of token groups into B-trees, a warp a group. Warps take groups one after the other, so that large ones hold up
// no others (Wei and JaJa 2011, III.D.2: dynamic round robin).
#include "common/device/launch.cuh"
#include "indexer/invert/gpu/kernels.h"
#include "indexer/invert/gpu/warp_tree.cuh"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kBlocksPerProcessor = 8;

// The numbers in a term's header (parse/token_groups.h); bytes, since nothing is aligned.
__device__ std::uint32_t u16_at(const std::byte* at) {
  return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8;
}
__device__ std::uint32_t u32_at(const std::byte* at) { return u16_at(at) | u16_at(at + 2) << 16; }

// How many of the postings are of documents that were not dropped.
__device__ std::uint32_t count_kept(const std::byte* postings, std::uint32_t count, const std::uint32_t* numbers,
                                    std::uint32_t lane) {
  std::uint32_t kept = 0;
  for (std::uint32_t base = 0; base < count; base += 32) {
    const bool keep = base + lane < count && numbers[u16_at(postings + 4 * (base + lane))] != kDroppedNumber;
    kept += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, keep)));
  }
  return kept;
}

__device__ void insert_group(const TreesOnDevice& trees, const SliceOnDevice& slice, const GroupOnDevice& group,
                             TermRecord* records, std::uint32_t lane) {
  constexpr std::uint32_t kHeaderBytes = 6, kPostingBytes = 4;
  WarpTree tree(trees, lane);
  for (std::uint32_t at = group.begin; at < group.end;) {
    const std::byte* const header = slice.bytes + at;
    const std::uint32_t suffix_bytes = u16_at(header), count = u32_at(header + 2);
    const std::byte* const suffix = header + kHeaderBytes;
    const std::byte* const postings = suffix + suffix_bytes;
    at += kHeaderBytes + suffix_bytes + count * kPostingBytes;
    const std::uint32_t kept = count_kept(postings, count, slice.numbers, lane);
    if (kept == 0) continue;
    const std::uint32_t cached = min(suffix_bytes, 4u);
    const Key key{dictionary::cache_of(reinterpret_cast<const char*>(suffix), cached), suffix + cached,
                  suffix_bytes - cached};
    const std::uint32_t term = tree.find_or_add(group.collection, key);
    if (lane == 0) {
      const std::uint32_t first = trees.postings[term];
      trees.postings[term] = first + kept;
      records[atomicAdd(&trees.used->records, 1u)] = {
          slice.bytes_at + static_cast<std::uint64_t>(postings - slice.bytes), slice.numbers_at, count, term, first, 0};
    }
    __syncwarp();
  }
}

// Mapping: one warp a group. Result: trees and records in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads)
    insert_groups(TreesOnDevice trees, SliceOnDevice slice, TermRecord* records) {
  const std::uint32_t lane = lane_of_warp();
  for (;;) {
    std::uint32_t group = 0;
    if (lane == 0) group = atomicAdd(&trees.used->next_group, 1u);
    group = __shfl_sync(kFullWarp, group, 0);
    if (group >= slice.group_count) return;
    insert_group(trees, slice, slice.groups[group], records, lane);
  }
}

}  // namespace

Result<void> insert_terms(const TreesOnDevice& trees, const SliceOnDevice& slice, TermRecord* records,
                          std::uint32_t processors, device::StreamHandle stream) {
  FROND_TRY(
      device::fill_with_zeros(reinterpret_cast<std::byte*>(&trees.used->next_group), sizeof(std::uint32_t), stream));
  const std::uint32_t wanted = (slice.group_count + kThreads / 32 - 1) / (kThreads / 32);
  return device::launch("insert_terms", insert_groups, min(wanted, processors * kBlocksPerProcessor), kThreads, stream,
                        trees, slice, records);
}

}  // namespace frond::indexer::invert::gpu
