#pragma once
// Lists that were encoded where the postings are (runs/posting_slices.h), given to the partitions, which are all
// written at the same time.
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/base/threads/bounded_queue.h"
#include "common/base/threads/task_pool.h"
#include "common/codec/codec_choice.h"
#include "indexer/publish/list_stream.h"
#include "indexer/publish/term_statistics.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::publish {

// The lists that one partition has of a slice, on their way from where they are read to where they are stored.
struct EncodedGroup {
  std::shared_ptr<const runs::EncodedSlice> slice;  // of all partitions
  std::span<const runs::EncodedPiece> pieces;       // of this one
  std::uint64_t bytes = 0;                          // of memory: its own, or its share of the slice's if that is more
};
using EncodedGroups = BoundedQueue<EncodedGroup>;

// Whether lists are packed with the one codec in which they can be encoded.
bool can_be_encoded(const codec::CodecChoice& codecs);

// Gives the lists of partition p to `to[p]`, in order, and all terms to `terms`, unless it is null. Returns the term
// digests by partition; the caller closes the queues. One thread; another, terms-0, has the terms written, so that the
// device does not wait for it. Errors as PostingSlices::code() and TermsWriter::put(); kUnavailable: stopped.
Result<std::vector<std::vector<std::uint64_t>>> distribute_encoded_lists(
    runs::PostingSlices& from, const runs::ListEncoding& coding, const runs::SliceLimits& limits,
    const std::vector<std::unique_ptr<EncodedGroups>>& to, TermsWriter* terms, std::stop_token stop);

// A group as a partition's tables store it. Any thread. Errors as EncodedLists::add(), which opens every blob.
Result<std::vector<BuiltLists>> built_of(const runs::PostingSlices& from, const EncodedGroup& group);

}  // namespace frond::indexer::publish
