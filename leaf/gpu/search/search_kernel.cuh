#pragma once
// Search, device layer: the kernel and its launcher, for lists that `Lists` reads (packed_lists.cuh). Below it:
// thread_block.cuh, warp_task.cuh (with its steps) and thread.cuh.
//
// Mapping: batch.search_warps / kSearchBlockWarps thread blocks, which take tasks until none is left; as many as the
// device runs at once with PackedLists. Result: candidates, bins and states in device memory (batch.h), complete when
// the kernel ends. Shared memory: 10,240 bytes and Lists::Scratch. kSearchWarps warps to a processor leave a thread 64
// registers.
#include "common/device/early_launch.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/search/thread_block.cuh"

namespace frond::leaf::gpu::search {

// kRanked: of batches that are ranked, or of those that are not. Two kernels, because in one of both the ranked part
// has more spills.
template <class Lists, bool kRanked>
__global__ void __launch_bounds__(kBlockThreads, kSearchWarps / kSearchBlockWarps) search_batch(BatchOnDevice batch) {
  __shared__ HeldOfBlock<Lists> held;
  device::await_kernel_before();
  search_tasks<Lists, kRanked>(batch, held);
}

inline Result<void> launch_search(void (*kernel)(BatchOnDevice), const BatchOnDevice& batch,
                                  device::StreamHandle stream) {
  const auto launch = batch.early ? device::launch_early<BatchOnDevice> : device::launch<BatchOnDevice>;
  return launch("search_lists", kernel, batch.search_warps / kSearchBlockWarps, kBlockThreads, stream, batch);
}
template <class Lists>
Result<void> launch_search(const BatchOnDevice& batch, device::StreamHandle stream) {
  return launch_search(batch.unranked ? search_batch<Lists, false> : search_batch<Lists, true>, batch, stream);
}
// Of ranked batches with priors.
template <class Lists>
Result<void> launch_search_with_priors(const BatchOnDevice& batch, device::StreamHandle stream) {
  return launch_search(search_batch<WithPriors<Lists>, true>, batch, stream);
}

}  // namespace frond::leaf::gpu::search
