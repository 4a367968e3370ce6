#pragma once
// Graph bisection on a GPU (graph_bisection.h): the same order as bisect(), to the document. Ranges of a level are cut
// all at once, in kernels over all documents; a range whose documents have settled is passed over. The forward index
// stays on the device. For each level the terms of a document are numbered anew, as slots of its range, and terms that
// only one document of a half has are left out.
#include <cstdint>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "indexer/order/forward_index.h"

namespace frond::indexer::order::gpu {

// Bytes of device memory that it takes for so many documents, postings and terms, without CUB's.
std::uint64_t device_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms);

// order[place] = document. Takes at most max_bytes of the device's memory. If stopped, it is the order of the input.
// kDevice: the device failed or hangs, or the index does not fit.
Result<std::vector<std::uint32_t>> bisect_on_device(const ForwardIndex& index, int device, std::uint64_t max_bytes,
                                                    std::stop_token stop);

}  // namespace frond::indexer::order::gpu
