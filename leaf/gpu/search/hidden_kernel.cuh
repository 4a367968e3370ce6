#pragma once
// The kernel that counts how many postings of a list are of hidden documents, for lists that `Lists` reads
// (packed_lists.cuh), and its launcher. A list's length is the number of its documents only without them.
#include "common/device/launch.cuh"
#include "leaf/gpu/search/hidden.cuh"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu::search {

// Mapping: batch.count_blocks thread blocks for each of batch.counted; a warp takes 1,024 documents of a list with a
// mark a document at a time, or else a block of the list. Result: QueryState::hidden_postings. Shared memory:
// Lists::Scratch for each warp.
template <class Lists, std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) count_hidden_postings(BatchOnDevice batch) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  __shared__ typename Lists::Scratch scratch[kWarps];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t number = batch.counted[blockIdx.x / batch.count_blocks];
  const std::uint32_t first = blockIdx.x % batch.count_blocks * kWarps + warp, step = batch.count_blocks * kWarps;
  const QueryOnDevice& query = batch.queries[number];
  const DeviceList& list = batch.terms[query.first_term].list;
  std::uint32_t count = 0;
  if (list.marks_shift == 0) {
    const std::uint32_t words = (query.documents + 31) / 32;
    for (std::uint32_t word = 32 * first + lane; word < words; word += 32 * step)
      count += static_cast<std::uint32_t>(__popc(__ldg(list.marks + word) & hidden_word(query, word)));
  } else {
    for (std::uint32_t block = first; block < list.block_count; block += step) {
      const BlockEntry entry = load_entry(list.blocks + block);
      Four docids;
      Lists::docids(list, block, entry, docid_before(list.blocks, block), lane, scratch[warp], docids);
      for (std::uint32_t i = 0; i < 4 && 4 * lane + i < size_of(entry); ++i) count += is_hidden(query, docids.at[i]);
    }
  }
  count = __reduce_add_sync(kFullWarp, count);
  if (lane == 0 && count > 0) atomicAdd(&batch.states[number].hidden_postings, count);
}

template <class Lists, std::uint32_t kThreads>
Result<void> launch_count(const BatchOnDevice& batch, device::StreamHandle stream) {
  return device::launch("count_hidden", count_hidden_postings<Lists, kThreads>,
                        batch.counted_queries * batch.count_blocks, kThreads, stream, batch);
}

}  // namespace frond::leaf::gpu::search
