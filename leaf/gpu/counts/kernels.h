#pragma once
// The kernels of a batch of counts (count_batch.h), in the order in which they are launched. All are asynchronous.
// kDevice.
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/counts/count_batch.h"

namespace frond::leaf::gpu::counts {

// Copies the batch's plain data to the device, sets all counters to 0, and prepares orders.
Result<void> start_counts(const CountBatch& batch, device::StreamHandle stream);
// Counts the documents that match, by code and in all; finds the first of each piece in their order.
Result<void> count_documents(const CountBatch& batch, device::StreamHandle stream);
// The same for lists of any codecs (codecs/mixed.cu).
Result<void> count_documents_mixed(const CountBatch& batch, device::StreamHandle stream);
// Writes each query's counters, its first documents and its answer, of which it sets the matches, how many documents
// there are and the times, to pinned host memory.
Result<void> deliver_counts(const CountBatch& batch, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::counts
