#pragma once
// The three kernels of a batch, in the order in which they are put into a stream.
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu::search {

// Copies the batch's plain data to the device, clears the queries' states and bins, and gives OR queries a first
// threshold: what k documents of one term reach by that term alone, looked for in the blocks that the list remembers as
// its best.
Result<void> start_queries(const BatchOnDevice& batch, device::StreamHandle stream);
// Emits every document that may be among the k best of its query, with its exact score, into keys; counts the
// matches of AND queries, as far as their plans ask.
Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream);
// The k best of what was emitted, best first, into hits, and what came of it into answers; kNoRoom where more was
// emitted than fits or more than kSorted documents are left that can't be told apart by the bins: the answer's
// threshold is then a better start for another round.
Result<void> select_hits(const BatchOnDevice& batch, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::search
