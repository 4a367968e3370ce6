#include "common/scoring/bm25.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace frond::scoring {

double natural_log(double x) {
  FROND_CHECK(x >= 1 && x < 1e300);
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)): ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)), |z| <= 0.1716, 12 terms
  // suffice.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double z = (m - 1) / (m + 1), zz = z * z;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * zz + 1.0 / k;
  return exponent * 0.6931471805599453 + 2 * z * sum;
}

namespace {
// An average length without documents or tokens would divide by 0.
double clamped(double average_length) { return std::max(average_length, 1e-9); }
}  // namespace

LengthNorm length_norm(const Bm25Parameters& parameters, const CollectionStatistics& statistics) {
  return {static_cast<float>(parameters.k1 * (1 - parameters.b)),
          static_cast<float>(parameters.k1 * parameters.b / clamped(statistics.average_length()))};
}

float term_weight(const Bm25Parameters& parameters, const CollectionStatistics& statistics,
                  std::uint64_t document_frequency, std::uint32_t query_frequency) {
  if (are_impacts(parameters)) return impact_weight(256 * query_frequency);
  const double n = static_cast<double>(statistics.documents);
  const double df = static_cast<double>(std::min(document_frequency, statistics.documents));
  const double idf = natural_log(1 + (n - df + 0.5) / (df + 0.5));
  return static_cast<float>(kScoreScale * idf * (parameters.k1 + 1) * query_frequency);
}

double usable_length(double average_length) { return clamped(average_length); }

float deficit(double b, double average_length, Frequency frequency, std::uint32_t length) {
  return std::bit_cast<float>(deficit_bits(b, usable_length(average_length), frequency, length));
}

PackedDeficit pack_deficit(float value) {
  return pack_deficit_bits(std::bit_cast<std::uint32_t>(std::max(value, 0.0f)));
}

PackedDeficit pack_deficit_up(float value) {
  return pack_deficit_bits_up(std::bit_cast<std::uint32_t>(std::max(value, 0.0f)));
}

namespace {
constexpr float kNoBound = std::numeric_limits<float>::infinity();
// Slopes above this give no useful bound. Below it, products with a deficit stay finite.
constexpr double kMaxSlope = 1e9;
// The highest bound is below 2^32 with its margin: a float beyond a Score's range has no Score.
constexpr float kMaxCeiling = 0x1.ffffp31f;

// Factors of k1 * s, rounded by more than all operations with them may err.
float rounded_down(double factor) { return static_cast<float>(factor * (1 - 1e-6)); }
float rounded_up(double factor) { return static_cast<float>(factor * (1 + 1e-6)); }
}  // namespace

BoundScale::BoundScale(float weight, const Bm25Parameters& asked, const CollectionStatistics& now,
                       const DeficitBasis& built)
    : weight_(weight),
      ceiling_(std::min(are_impacts(asked) ? weight * (kMaxImpact * 0x1p-32f) : weight, kMaxCeiling)),
      most_(kNoBound),
      flat_(kNoBound) {
  const double k1 = asked.k1;
  if (built.b <= 0) {  // s0 = 1 / tf
    const double x = 1 - asked.b;
    least_ = rounded_down(k1 * x);
    if (asked.b <= 0) most_ = rounded_up(k1 * x);
    return;
  }
  const double growth = clamped(built.average_length) / clamped(now.average_length());
  const double y = asked.b / built.b * growth;
  // With b0 = 1, X is 0, so any x is right for the lower bound; for the upper one only if b is 1.
  const double x = built.b < 1 ? (1 - asked.b) / (1 - built.b) : asked.b < 1 ? kNoBound : y;
  least_ = rounded_down(k1 * std::min(x, y));
  if (std::max(x, y) <= kMaxSlope) most_ = rounded_up(k1 * std::max(x, y));
  // (y - x) * (1 - b0). Of b0 = 1: x * (1 - b0) is 1 - b there, what X adds at most.
  const double offset = y * (1 - built.b) - (1 - asked.b);
  if (y > x && y <= kMaxSlope && offset > 0) {
    steep_ = rounded_down(k1 * y);
    steep_offset_ = rounded_up(k1 * offset);
  }
  if (offset < 0) {
    flat_ = rounded_up(k1 * y);
    flat_offset_ = rounded_up(k1 * -offset);
  }
}

BoundScale::BoundScale(float weight)
    : weight_(weight), ceiling_(std::min(weight, kMaxCeiling)), most_(kNoBound), flat_(kNoBound) {}

Score BoundScale::lower_bound(PackedDeficit packed) const {
  const float deficit = unpack_deficit(packed);
  if (!(deficit >= 0)) return 0;  // foreign bytes: negative, or not a number
  const float one = most_ * deficit, other = flat_ * deficit + flat_offset_;
  const float least = other < one ? other : one;
  if (!(least < kNoBound)) return 0;
  // The same margin the other way; contributions are truncated, and so is this.
  return static_cast<Score>(std::min(weight_ / (1.0f + least), ceiling_) * (1.0f - 0x1p-20f));
}

}  // namespace frond::scoring
