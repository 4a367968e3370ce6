#pragma once
// A document's static prior: a number of its own, a page's rank for example, that is added to its score whatever the
// query is (Ding, He, Yan and Suel, WWW 2009, §2). A query weighs it.
//
// Everything is in whole numbers, so that scores stay the same bits everywhere (ADR 1, ADR 23). A prior of 1 adds what
// a score of 1.0 is.
#include <cmath>
#include <cstdint>

#include "common/scoring/bm25.h"

namespace frond::scoring {

using Prior = std::uint32_t;        // 65,536 to one; 0: none
using PriorWeight = std::uint32_t;  // 65,536 to one; 0: priors do not count
inline constexpr double kMaxPriorValue = 1000;
inline constexpr std::uint32_t kMaxPriorWeightValue = 16;
inline constexpr Prior kMaxPrior = 1000u << 16;
inline constexpr PriorWeight kMaxPriorWeight = kMaxPriorWeightValue << 16;
inline constexpr PriorWeight kUsualPriorWeight = 1u << 16;

// Maxima of priors are kept for stretches of so many documents, and for regions of so many, which are more stretches.
inline constexpr std::uint32_t kPriorStretch = 256, kPriorRegion = 32 * kPriorStretch;

// The highest score of a document with a prior. A heap of hits counts one above it.
inline constexpr Score kMaxScore = 0xfffffffe;

// What a prior adds: below 2^30 for priors and weights within their limits, and never less for a higher prior.
FROND_HOST_DEVICE inline Score weighted(Prior prior, PriorWeight weight) {
  return static_cast<Score>(std::uint64_t{prior} * weight >> 16);
}
// Sums above kMaxScore, which take hundreds of rare terms, are kMaxScore.
FROND_HOST_DEVICE inline Score with_prior(Score score, Score weighted_prior) {
  const std::uint64_t sum = std::uint64_t{score} + weighted_prior;
  return sum < kMaxScore ? static_cast<Score>(sum) : kMaxScore;
}
// A prior from `value`, rounded to the nearest. Of what is below 0, or no number: 0; above kMaxPriorValue: kMaxPrior.
// The conversion of such a number would be undefined.
inline Prior prior_of(double value) {
  if (!(value > 0)) return 0;
  return value < kMaxPriorValue ? static_cast<Prior>(std::lround(value * 65536)) : kMaxPrior;
}
// The same of a weight.
inline PriorWeight prior_weight_of(double value) {
  if (!(value > 0)) return 0;
  return value < kMaxPriorWeightValue ? static_cast<PriorWeight>(std::lround(value * 65536)) : kMaxPriorWeight;
}

}  // namespace frond::scoring
