#pragma once
// Search, thread block layer: hands the batch's tasks to warps.
//
// Mapping: kSearchBlockWarps warps that work independently. They share a thread block only because a processor has few
// places for thread blocks. No barriers.
// Result: none here; warps write to device memory. Shared memory: a Held for each warp, 10,240 bytes, and what
// its codec needs; aligned to 16.
#include "common/device/early_launch.cuh"
#include "common/device/launch.cuh"
#include "leaf/gpu/search/warp_marks.cuh"
#include "leaf/gpu/search/warp_task.cuh"
#include "leaf/gpu/search/warp_unranked.cuh"

namespace frond::leaf::gpu::search {

inline constexpr std::uint32_t kBlockThreads = 32 * kSearchBlockWarps;

template <class Lists>
struct HeldOfBlock {
  Held warps[kSearchBlockWarps];
  typename Lists::Scratch scratch[kSearchBlockWarps];
};

// All lanes of a warp call together. Finds the task's row, reads the query's threshold and runs the task.
template <class Lists, bool kRanked>
__device__ inline void search_task(const BatchOnDevice& batch, Held& held, typename Lists::Scratch& scratch,
                                   std::uint32_t task) {
  const Row* row = batch.rows + batch.group_rows[task / kTasksOfAGroup];
  while (row[1].first_task <= task) ++row;
  const QueryOnDevice& query = batch.queries[row->query];
  QueryState* state = batch.states + row->query;
  const std::uint32_t matches = read_together(&state->matches);
  const TaskQuery of{batch, query, batch.terms + query.first_term, state, row->query};
  const std::uint32_t number = task - row->first_task;
  const TaskRange range{.driver = row->term,
                        .first_block = (number >> row->split) * row->chunk,
                        .max_blocks = row->chunk,
                        .split = row->split,
                        .part = number & ((1u << row->split) - 1)};
  Progress progress{.threshold = read_together(&state->threshold),
                    .counting = counts_matches<Lists>(query) && matches <= query.count_to};
  if constexpr (kRanked) {
    if constexpr (HasClauses<Lists>)
      if (query.tied > 0) progress.threshold = query.tied;
    run_task<Lists>(of, range, held, scratch, progress);
  } else {
    progress.counting = query.count_to == kCountAll && (query.conjunction || range.driver > 0);
    if (drives_by_marks(query, range.driver))
      run_marks_task(of, range, progress);
    else
      run_unranked_task<Lists>(of, range, held, scratch, progress);
  }
  if (lane_of_warp() == 0 && progress.runs > 0) atomicAdd(&state->runs, progress.runs);
}

// The task at a place (BatchOnDevice::interleaved_tasks); task_count: none.
__device__ inline std::uint32_t task_at(const BatchOnDevice& batch, std::uint32_t place) {
  const std::uint32_t places = batch.columns * batch.column_tasks;
  if (place >= places) return batch.interleaved_tasks + (place - places);
  const std::uint32_t task = place % batch.columns * batch.column_tasks + place / batch.columns;
  return task < batch.interleaved_tasks ? task : batch.task_count;
}

// Every warp takes one task after the other until none is left. The first rows of all queries come first, which have
// the highest scores, and consecutive tasks of them belong to different queries where there are many: so a query's
// threshold has risen before most of its tasks begin, and the longest lists, whose rows come last, are mostly skipped.
template <class Lists, bool kRanked>
__device__ inline void search_tasks(const BatchOnDevice& batch, HeldOfBlock<Lists>& held) {
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t places = places_of(batch);
  for (std::uint32_t index = blockIdx.x * kSearchBlockWarps + warp; index < places;) {
    std::uint32_t next = 0;
    if (lane == 0) next = atomicAdd(batch.next_place, 1u);  // before the task, so that the result is there after it
    const std::uint32_t task = task_at(batch, index);
    if (task < batch.task_count) search_task<Lists, kRanked>(batch, held.warps[warp], held.scratch[warp], task);
    index = __shfl_sync(kFullWarp, next, 0);
  }
}

// Search, device layer: the kernel and its launcher, for lists that `Lists` reads (packed_lists.cuh). Below it:
// warp_task.cuh (with its steps) and thread.cuh.
//
// Mapping: batch.search_warps / kSearchBlockWarps thread blocks, which take tasks until none is left; as many as the
// device runs at once with PackedLists. Result: candidates, bins and states in device memory (batch.h), complete when
// the kernel ends. Shared memory: 10,240 bytes and Lists::Scratch. kSearchWarps warps to a processor leave a thread 64
// registers.

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
// Of ranked batches with priors or clauses.
template <class Lists>
Result<void> launch_search_with_more(const BatchOnDevice& batch, device::StreamHandle stream) {
  return launch_search(batch.clauses ? search_batch<WithClauses<Lists>, true> : search_batch<WithPriors<Lists>, true>,
                       batch, stream);
}

}  // namespace frond::leaf::gpu::search
