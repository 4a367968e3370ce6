#pragma once
// What documents' static priors add to their scores (common/scoring/prior.h), exactly and at most. Only for queries
// that have priors. One thread alone.
//
// Batches with such queries have a search kernel of their own, for lists that WithPriors<Lists> reads: in the usual
// one, which has no register to spare, the same branches would make every query spill more.
//
// Bounds of scores are of terms and prior together, so thresholds and floors are those of whole scores: a held
// document's score has the most that a prior of its stretch adds, until its own is known; a block's bound has that of
// its documents' range, a list's that of the partition (QueryOnDevice::max_prior).
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu::search {

template <class Lists>
struct WithPriors : Lists {
  static constexpr bool kAddsPriors = true;
};
template <class Lists>
concept AddsPriors = Lists::kAddsPriors;
// QueryOnDevice::max_prior, which is 0 in other kernels.
template <class Lists>
__device__ inline scoring::Score max_prior_of(const QueryOnDevice& query) {
  if constexpr (AddsPriors<Lists>) return query.max_prior;
  return 0;
}

__device__ inline scoring::Score prior_score(const QueryOnDevice& query, DocId docid) {
  return scoring::weighted(__ldg(query.priors + docid), query.prior_weight);
}

// At least that of the document: the most of any document in its stretch.
__device__ inline scoring::Score most_prior_near(const QueryOnDevice& query, DocId docid) {
  return scoring::weighted(__ldg(query.priors + query.documents + docid / scoring::kPriorStretch), query.prior_weight);
}

// At least that of any document first .. last: from a few stretches or regions, or else the most of all.
__device__ inline scoring::Score most_prior_in(const QueryOnDevice& query, DocId first, DocId last) {
  constexpr std::uint32_t kLooks = 8;
  const scoring::Prior* maxima = query.priors + query.documents;
  std::uint32_t step = scoring::kPriorStretch;
  if (last / step - first / step >= kLooks) {
    maxima += (query.documents - 1) / step + 1;
    step = scoring::kPriorRegion;
    if (last / step - first / step >= kLooks) return query.max_prior;
  }
  scoring::Prior most = 0;
  for (std::uint32_t i = first / step; i <= last / step; ++i) most = max(most, __ldg(maxima + i));
  return scoring::weighted(most, query.prior_weight);
}

}  // namespace frond::leaf::gpu::search
