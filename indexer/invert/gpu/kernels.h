#pragma once
// The kernels of an inverter on the GPU. Asynchronous. The caller makes sure that all arrays are large enough. kDevice.
#include <cstddef>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/tree_on_device.h"

namespace frond::indexer::invert::gpu {

// Looks the terms of a slice up in the B-trees of their collections, inserts those that are not there, and appends a
// record of each to `records`. Slices in the order of their documents. One warp a group, and as many groups at a time
// as the device has room for warps.
Result<void> insert_terms(const TreesOnDevice& trees, const SliceOnDevice& slice, TermRecord* records,
                          std::uint32_t processors, device::StreamHandle stream);

// Copies the postings of all records to their terms' places, in the order of the slices. `store`: where the records'
// offsets begin.
Result<void> scatter_postings(const TermRecord* records, std::uint32_t count, const std::byte* store,
                              const ScatteredPostings& to, std::uint32_t processors, device::StreamHandle stream);

}  // namespace frond::indexer::invert::gpu
