#include "common/scoring/bm25.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

LengthNorm length_norm(const Bm25Parameters& parameters, const CollectionStatistics& statistics) {
  const double average = std::max(statistics.average_length(), 1e-9);
  return {static_cast<float>(parameters.k1 * (1 - parameters.b)),
          static_cast<float>(parameters.k1 * parameters.b / average)};
}

float term_weight(const Bm25Parameters& parameters, const CollectionStatistics& statistics,
                  std::uint64_t document_frequency, std::uint32_t query_frequency) {
  const double n = static_cast<double>(statistics.documents);
  const double df = static_cast<double>(std::min(document_frequency, statistics.documents));
  const double idf = natural_log(1 + (n - df + 0.5) / (df + 0.5));
  return static_cast<float>(kScoreScale * idf * (parameters.k1 + 1) * query_frequency);
}

float deficit(double b, double average_length, Frequency frequency, std::uint32_t length) {
  const double tf = frequency;
  return static_cast<float>((1 - b) / tf + b * (static_cast<double>(length) / tf) / std::max(average_length, 1e-9));
}

PackedDeficit pack_deficit(float value) {
  // One unit in the last place down first: the float itself was rounded to nearest.
  const auto bits = std::bit_cast<std::uint32_t>(std::max(value, 0.0f));
  return static_cast<PackedDeficit>((bits ? bits - 1 : 0) >> 16);
}

PackedDeficit pack_deficit_up(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(std::max(value, 0.0f));
  return static_cast<PackedDeficit>((bits + 1 + 0xffff) >> 16);
}

BoundScale::BoundScale(float weight, const Bm25Parameters& parameters, const CollectionStatistics& now,
                       double built_average_length)
    : weight_(weight) {
  const double ratio = built_average_length / std::max(now.average_length(), 1e-9);
  k1_min_ = static_cast<float>(parameters.k1 * std::min(1.0, ratio) * (1 - 1e-6));
  k1_max_ = static_cast<float>(parameters.k1 * std::max(1.0, ratio) * (1 + 1e-6));
}

Score BoundScale::lower_bound(PackedDeficit packed) const {
  const float deficit = unpack_deficit(packed);
  if (!(deficit >= 0)) return 0;  // foreign bytes: negative, or not a number
  // The same margin the other way; contributions are truncated, and so is this.
  return static_cast<Score>(weight_ / (1.0f + k1_max_ * deficit) * (1.0f - 0x1p-20f));
}

}  // namespace frond::scoring
