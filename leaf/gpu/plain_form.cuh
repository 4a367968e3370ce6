#pragma once
// The kernel that decodes a list to plain docIDs (plain_form.h) and its launcher, for lists that `Lists` reads
// (search/packed_lists.cuh).
#include "common/device/launch.cuh"
#include "leaf/gpu/block.cuh"
#include "leaf/gpu/plain_form.h"

namespace frond::leaf::gpu {

// Mapping: one warp a block. Result: its docIDs in device memory. Shared memory: Lists::Scratch for each warp.
template <class Lists, std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) write_docids(DeviceList list, DocId* to) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  __shared__ typename Lists::Scratch scratch[kWarps];
  const std::uint32_t block = blockIdx.x * kWarps + threadIdx.x / 32, lane = lane_of_warp();
  if (block >= list.block_count) return;  // uniform across the warp
  const BlockEntry entry = load_entry(list.blocks + block);
  Four docids;
  Lists::docids(list, block, entry, docid_before(list.blocks, block), lane, scratch[threadIdx.x / 32], docids);
  const std::uint32_t size = size_of(entry);
  for (std::uint32_t i = 0; i < 4 && 4 * lane + i < size; ++i)
    to[std::size_t{block} * codec::kBlockLength + 4 * lane + i] = docids.at[i];
}

template <class Lists, std::uint32_t kThreads>
Result<void> launch_write_docids(const DeviceList& list, DocId* to, device::StreamHandle stream) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  return device::launch("write_docids", write_docids<Lists, kThreads>, (list.block_count + kWarps - 1) / kWarps,
                        kThreads, stream, list, to);
}

}  // namespace frond::leaf::gpu
