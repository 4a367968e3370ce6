#pragma once
// The order of documents in a query that is not ranked, as a score: the machinery that keeps the k best scores
// (search/kernels.h) then keeps the k first documents. Scores are bins of the histogram, so bin_shift is 0; among equal
// scores the lower docID comes first anyway.
//
// A score falls with the distance from an origin, in steps that are 1/32 as wide as the distance. So wherever the k-th
// document is, few candidates share its step, unless the documents lie close together far from the origin. The query
// then runs again, with the begin of that step as its origin: the steps there are 1/32 as wide as before, or less.
// Documents with equal scores, of which the first are wanted, are told apart in the same way.
#include <bit>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/scoring/bm25.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {

inline constexpr std::uint32_t kOrderBits = 5, kStepsOfAPower = 1u << kOrderBits;

// Steps 0, 1, 2 … of distances 0, 1, 2 …; from 64 on several distances share a step.
FROND_HOST_DEVICE inline std::uint32_t step_of(std::uint32_t distance) {
  if (distance < kStepsOfAPower) return distance;
#ifdef __CUDA_ARCH__
  const auto power = 31 - static_cast<std::uint32_t>(__clz(static_cast<int>(distance)));
#else
  const auto power = 31 - static_cast<std::uint32_t>(std::countl_zero(distance));
#endif
  const std::uint32_t shift = power - kOrderBits;
  return (shift + 1) * kStepsOfAPower + (distance >> shift) % kStepsOfAPower;
}

// The first distance of a step.
FROND_HOST_DEVICE inline std::uint32_t distance_of(std::uint32_t step) {
  if (step < kStepsOfAPower) return step;
  return (kStepsOfAPower + step % kStepsOfAPower) << (step / kStepsOfAPower - 1);
}
static_assert(kBins > 27 * kStepsOfAPower, "docIDs have 31 bits (list_image.cc)");

// Documents up to the origin have the highest score, kBins - 1.
FROND_HOST_DEVICE inline scoring::Score score_in_order(DocId docid, DocId origin) {
  return kBins - 1 - step_of(docid > origin ? docid - origin : 0);
}
// The first and last docID, at or behind the origin, with this score.
FROND_HOST_DEVICE inline DocId first_with(scoring::Score score, DocId origin) {
  return origin + distance_of(kBins - 1 - score);
}
FROND_HOST_DEVICE inline DocId last_with(scoring::Score score, DocId origin) {
  return origin + distance_of(kBins - score) - 1;
}

// The same where thousands of documents have just the k-th best score, `tied`: these come in the order of documents,
// those with higher scores before them. 0: a lower score.
FROND_HOST_DEVICE inline scoring::Score score_with_ties(scoring::Score score, scoring::Score tied, DocId docid,
                                                        DocId origin) {
  if (score <= tied) return score < tied ? 0 : score_in_order(docid, origin);
  return kBins - 1 + (score - tied);
}
// The document's own score.
inline scoring::Score score_without_ties(scoring::Score score, scoring::Score tied) {
  return score < kBins ? tied : tied + (score - (kBins - 1));
}

}  // namespace frond::leaf::gpu
