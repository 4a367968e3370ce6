#pragma once
// The postings of a run from the device to the host, term after term.
#include <cstdint>
#include <functional>
#include <span>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/invert/gpu/text/kernels.h"
#include "indexer/invert/gpu/text/staged_copies.h"

namespace frond::indexer::invert::gpu {

// The next postings. In a term, numbers do not descend, and equal ones are one document. Valid during the call.
using VisitPostings =
    std::function<Result<void>(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies)>;

// A run on the device. Windows of its postings are gathered into numbers and frequencies, of `window` each.
struct PostingsToRead {
  PostingStore store;
  std::uint32_t postings = 0, segments = 0;
  const std::uint32_t* offsets = nullptr;  // by term: where its postings begin
  std::uint32_t* numbers = nullptr;
  std::uint32_t* frequencies = nullptr;
  std::uint32_t window = 0;
};

// Visits all, by way of the stages, which nobody else uses meanwhile: while a piece is visited, the next one comes.
// kDevice, and errors of visit.
Result<void> read_postings(const PostingsToRead& run, StagedCopies& stages, const KernelPlace& place,
                           const VisitPostings& visit);

}  // namespace frond::indexer::invert::gpu
