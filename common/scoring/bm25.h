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

// Those of a collection of impacts (learned sparse vectors), whose frequencies are weights that a model learned: a term
// contributes 2^16 * frequency * the query's weight, exactly, without idf and length. BM25's tf * (k1 + 1) / (tf + k1)
// becomes tf as k1 grows, and with this k1 it is tf to the bit: tf + 2^32 rounds to 2^32 for a tf of kMaxImpact or
// less, so every engine computes impacts as it computes BM25, with the same bounds (docs/adr/0071).
inline constexpr Bm25Parameters kImpacts = {.k1 = 0x1p32, .b = 0};
inline constexpr Frequency kMaxImpact = 255;
// A query's weights are in units of 1/256. With no more of them in all than this, sums of contributions and of their
// bounds stay below 3 * 2^30, so that a prior fits in beside them. (Each contribution is exact then: its units and its
// frequency have 24 bits together.)
inline constexpr std::uint32_t kMaxImpactUnits = 180 * 256;
inline bool are_impacts(const Bm25Parameters& parameters) { return parameters == kImpacts; }
// In place of term_weight(): of a query's weight.
inline float impact_weight(std::uint32_t units) { return static_cast<float>(units) * 0x1p40f; }

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
// Whether it is that of kImpacts. Then 2^-32 * weight is a whole number, and a contribution is that times the
// frequency.
FROND_HOST_DEVICE inline bool is_of_impacts(const LengthNorm& norm) { return norm.constant == 0x1p32f; }
LengthNorm length_norm(const Bm25Parameters& parameters, const CollectionStatistics& statistics);

// 2^16 * idf * (k1 + 1) * query_frequency; of kImpacts impact_weight(256 * query_frequency). The logarithm is our own,
// from IEEE operations only: no libm decides a score.
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

// ---- Bounds that hold for any N, df and average length of later generations, and for any k1 and b of a query.
//
// A contribution is w / (1 + k1 * s), s = (1 - b) / tf + (b / average length) * (length / tf). The smaller s
// ("saturation deficit"), the larger the contribution. A block stores the least s of its postings, s0, computed with
// the b0 and the average length a0 that its partition was built with: s0 = X + Y, X = (1 - b0) / tf, Y = (b0 / a0) *
// (length / tf). For another b and average length a, s = x * X + y * Y with x = (1 - b) / (1 - b0) and y = (b / b0) *
// (a0 / a). As X is at most 1 - b0,
//   s >= min(x, y) * s0,  and if y > x also  s >= y * s0 - (y - x) * (1 - b0);
//   s <= max(x, y) * s0,  and if x > y also  s <= y * s0 + (x - y) * (1 - b0).
// A lower bound of s gives an upper bound of the contribution, and the other way round. Both are exact but for rounding
// where b = b0 and a = a0. With b0 = 0, Y is 0 and s has no upper bound unless b is 0; with b0 = 1, X is 0.
using PackedDeficit = std::uint16_t;  // the upper half of a positive float32, rounded towards zero

float deficit(double b, double average_length, Frequency frequency, std::uint32_t length);
PackedDeficit pack_deficit(float deficit);     // rounds down
PackedDeficit pack_deficit_up(float deficit);  // rounds up
// The same of a deficit's bits, whose order it keeps.
FROND_HOST_DEVICE inline PackedDeficit pack_deficit_bits(std::uint32_t bits) {
  // One unit in the last place down first: the float itself was rounded to nearest.
  return static_cast<PackedDeficit>((bits != 0 ? bits - 1 : 0) >> 16);
}
FROND_HOST_DEVICE inline PackedDeficit pack_deficit_bits_up(std::uint32_t bits) {
  return static_cast<PackedDeficit>((bits + 1 + 0xffff) >> 16);
}
// The bits of deficit(), for an average length from usable_length().
double usable_length(double average_length);
FROND_HOST_DEVICE inline std::uint32_t deficit_bits(double b, double usable, Frequency frequency,
                                                    std::uint32_t length) {
#ifdef __CUDA_ARCH__
  const double tf = __uint2double_rn(frequency);
  const double one = __ddiv_rn(__dsub_rn(1.0, b), tf);
  const double other = __ddiv_rn(__dmul_rn(b, __ddiv_rn(__uint2double_rn(length), tf)), usable);
  return __float_as_uint(__double2float_rn(__dadd_rn(one, other)));
#else
  const double tf = frequency;
  return std::bit_cast<std::uint32_t>(
      static_cast<float>((1 - b) / tf + b * (static_cast<double>(length) / tf) / usable));
#endif
}
FROND_HOST_DEVICE inline float unpack_deficit(PackedDeficit packed) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(std::uint32_t{packed} << 16);
#else
  return std::bit_cast<float>(std::uint32_t{packed} << 16);
#endif
}

// What a partition's deficits were computed with.
struct DeficitBasis {
  double b = 0;
  double average_length = 0;
};

// Turns packed deficits of one term in one partition into bounds of its contributions.
class BoundScale {
 public:
  // `asked`: of the query. `now`: of the generation.
  BoundScale(float weight, const Bm25Parameters& asked, const CollectionStatistics& now, const DeficitBasis& built);
  // Of a list whose deficits are of other lengths than its scores: the weight, whatever the deficit.
  explicit BoundScale(float weight);
  // At least contribution(...) of every posting whose deficit at build time was >= the packed one. Falls as the deficit
  // grows.
  FROND_HOST_DEVICE Score bound(PackedDeficit packed) const {
    const float deficit = unpack_deficit(packed);
    const float one = least_ * deficit, other = steep_ * deficit - steep_offset_;
    // A relative margin of 2^-20 covers the roundings of the contribution and of these lines: seven operations of 2^-24
    // each.
    const float bound = weight_ / (1.0f + (one < other ? other : one));
    return static_cast<Score>((bound < ceiling_ ? bound : ceiling_) * (1.0f + 0x1p-20f)) + 1;
  }
  // At most contribution(...) of every posting whose deficit at build time was <= the packed one. 0 if `packed` is no
  // deficit.
  Score lower_bound(PackedDeficit packed) const;

 private:
  float weight_;
  float ceiling_;  // of any posting: the weight, or that of impacts, whose least deficits lists do not tell from 0
  // k1 times s is at least least_ * s0 and at least steep_ * s0 - steep_offset_.
  float least_ = 0, steep_ = 0, steep_offset_ = 0;
  // It is at most most_ * s0 and at most flat_ * s0 + flat_offset_. Infinite: no such bound.
  float most_, flat_, flat_offset_ = 0;
};

}  // namespace frond::scoring
