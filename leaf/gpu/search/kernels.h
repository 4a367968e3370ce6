#pragma once
// The kernels of a batch (batch.h), in the order in which they are launched. All are asynchronous. kDevice.
//
// Layers, as in CUB. Thread: thread.cuh. Warp: warp_state.cuh, warp_task.cuh with its steps; for queries that are not
// ranked warp_unranked.cuh, warp_marks.cuh. Thread block and device: search_kernel.cuh. start_kernel.cuh,
// sum_kernel.cuh and select.cu are one layer each.
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu::search {

// Copies the batch's plain data to the device, initializes the queries' states and bins, and finds a first threshold
// for queries with a seed term: a score that k documents in the best blocks of its list reach by that term alone.
// Unranked: the order of k documents in its first blocks.
Result<void> start_queries(const BatchOnDevice& batch, device::StreamHandle stream);
// Only if batch.counted_queries > 0: counts the postings of their first terms' lists that are of hidden documents.
Result<void> count_hidden(const BatchOnDevice& batch, device::StreamHandle stream);
// Writes every document that may be among the k best of its query, with its exact score, to `keys`; counts the matches
// of AND queries and of ORs of clauses up to their count_to, and of queries that are not ranked all.
Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream);
// The same of the queries that are summed; nothing if there are none.
Result<void> sum_scores(const BatchOnDevice& batch, device::StreamHandle stream);
// Writes each query's k best candidates, best first, to `hits`, and its answer. The answer is kNoRoom if there were
// more candidates than places, or if more than kMaxSorted reach the last threshold. Its threshold is then the floor to
// launch the query with again.
Result<void> select_hits(const BatchOnDevice& batch, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::search
