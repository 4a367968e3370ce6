#pragma once
// BM25 in fixed point: one posting's contribution, the same bits from every compiler and processor.
//
// score(d) = sum over query terms of trunc(2^16 * w * tf / (tf + n(d))),  w = idf * (k1 + 1) * query frequency,
// idf = ln(1 + (N - df + 0.5) / (df + 0.5)),  n(d) = k1 * (1 - b) + (k1 * b / average length) * length(d).
// (Robertson et al., TREC-3, with the idf that never goes below zero.) Each contribution is IEEE float32 in one fixed
// order of operations, no contraction, truncated to an integer; a document's score is the integer sum, so order cannot
// change it (docs/adr/0001).
#include <bit>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"

namespace frond::scoring {

using Score = std::uint32_t;  // fixed point, kScoreScale to one
inline constexpr std::uint32_t kScoreScale = 1u << 16;
// With k1 <= kMaxK1 a contribution is below 2^23 for any N, so this many query term occurrences cannot overflow a
// Score.
inline constexpr std::uint32_t kMaxQueryTerms = 512;
inline constexpr float kMaxK1 = 4.0f;

struct Bm25Parameters {
  double k1 = 0.9;  // 0 .. kMaxK1
  double b = 0.4;   // 0 .. 1
  friend bool operator==(const Bm25Parameters&, const Bm25Parameters&) = default;
};

// Of the whole generation, never of one partition.
struct CollectionStatistics {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  double average_length() const {
    return documents ? static_cast<double>(tokens) / static_cast<double>(documents) : 1.0;
  }
};

// n(d) = constant + slope * length.
struct LengthNorm {
  float constant = 0;
  float slope = 0;
};
LengthNorm length_norm(const Bm25Parameters& parameters, const CollectionStatistics& statistics);

// 2^16 * idf * (k1 + 1) * query_frequency. The logarithm is our own, from IEEE operations only: no libm decides a
// score.
float term_weight(const Bm25Parameters& parameters, const CollectionStatistics& statistics,
                  std::uint64_t document_frequency, std::uint32_t query_frequency);

// ln(x) for finite x >= 1, error below 1e-14, computed with +, -, *, / only.
double natural_log(double x);

// One posting's contribution. frequency >= 1.
FROND_HOST_DEVICE inline Score contribution(float weight, Frequency frequency, std::uint32_t length, LengthNorm norm) {
#ifdef __CUDA_ARCH__
  const float tf = __uint2float_rn(frequency);
  const float n = __fadd_rn(norm.constant, __fmul_rn(norm.slope, __uint2float_rn(length)));
  return static_cast<Score>(__fmul_rn(weight, __fdiv_rn(tf, __fadd_rn(tf, n))));
#else
  const float tf = static_cast<float>(frequency);
  const float n = norm.constant + norm.slope * static_cast<float>(length);
  return static_cast<Score>(weight * (tf / (tf + n)));
#endif
}

// ---- Bounds that hold for any N, df and average length of later generations.
//
// A contribution is w / (1 + k1 * s), s = (1 - b) / tf + (b / average length) * (length / tf). The smaller s
// ("saturation deficit"), the larger the contribution. A block stores the least s of its postings, computed with the
// average length a0 that its partition was built with. For another average length a, every posting's s is at least s0 *
// min(1, a0 / a): so that is a lower bound on s, and gives an upper bound on the contribution; tight while a is near
// a0, exact but for rounding at a = a0.
using PackedDeficit = std::uint16_t;  // the upper half of a positive float32, rounded towards zero

float deficit(double b, double average_length, Frequency frequency, std::uint32_t length);
PackedDeficit pack_deficit(float deficit);     // rounds down
PackedDeficit pack_deficit_up(float deficit);  // rounds up
FROND_HOST_DEVICE inline float unpack_deficit(PackedDeficit packed) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(std::uint32_t{packed} << 16);
#else
  return std::bit_cast<float>(std::uint32_t{packed} << 16);
#endif
}

// Likewise, every s is at most s0 * max(1, a0 / a), which gives a lower bound on the contributions of postings whose
// deficits do not exceed s0.

// Turns packed deficits of one term in one partition into bounds of its contributions.
class BoundScale {
 public:
  BoundScale(float weight, const Bm25Parameters& parameters, const CollectionStatistics& now,
             double built_average_length);
  // At least contribution(...) of every posting whose deficit at build time was >= the packed one.
  FROND_HOST_DEVICE Score bound(PackedDeficit packed) const {
    // A relative margin of 2^-20 covers the roundings of the contribution and of this line: five operations of 2^-24
    // each.
    const float bound = weight_ / (1.0f + k1_min_ * unpack_deficit(packed));
    return static_cast<Score>(bound * (1.0f + 0x1p-20f)) + 1;
  }
  // At most contribution(...) of every posting whose deficit at build time was <= the packed one. 0 if `packed` is no
  // deficit.
  Score lower_bound(PackedDeficit packed) const;

 private:
  float weight_;
  float k1_min_, k1_max_;  // times the factor by which deficits may have changed
};

}  // namespace frond::scoring
