#pragma once
// The kernels of lists, in order. Asynchronous. Errors: kDevice.
#include "common/base/result.h"
#include "indexer/invert/gpu/text/kernels.h"
#include "indexer/invert/gpu/text/lists/lists_on_device.h"

namespace frond::indexer::invert::gpu {

// Deals the window's postings to partitions, adds up parts of documents, cuts lists and pieces: docids, sums, deficits,
// pieces without bytes, counts->postings, lists, pieces. Adds the postings to the digests.
Result<void> deal_lists(const ListWindow& window, const ListRules& rules, const KernelPlace& place);
// Codes the pieces: blobs, in simd-bp128; the pieces' bytes and where they begin; counts->bytes.
Result<void> code_lists(const ListWindow& window, const KernelPlace& place);
// Parts of it, for pieces of fewer than 128 postings: bytes, and offsets of all; then blobs, and counts->bytes.
Result<void> measure_short_pieces(const ListWindow& window, const KernelPlace& place);
Result<void> write_short_pieces(const ListWindow& window, const KernelPlace& place);

}  // namespace frond::indexer::invert::gpu
