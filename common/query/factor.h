#pragma once
// Boosts, weights and constant scores: multiples of 1/256, so that scores stay integers.
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>

namespace frond::query {

struct Factor {
  static constexpr std::uint32_t kOne = 256;
  std::uint32_t units = kOne;  // of 1/256

  constexpr double value() const { return static_cast<double>(units) / kOne; }
  friend constexpr auto operator<=>(const Factor&, const Factor&) = default;
};

inline constexpr double kMaxBoost = 100;
inline constexpr double kMaxConstantScore = 10'000;
inline constexpr double kMaxTokenWeight = 65'535;

// The nearest multiple, halves upwards. Empty: not from 0 to `max`.
inline std::optional<Factor> factor_of(double number, double max) {
  if (!(number >= 0 && number <= max)) return {};  // true for NaN
  return Factor{static_cast<std::uint32_t>(std::floor(number * Factor::kOne + 0.5))};
}

// Rounded the same way, and at most `max`.
inline Factor product(Factor a, Factor b, double max) {
  const std::uint64_t units = (std::uint64_t{a.units} * b.units + Factor::kOne / 2) / Factor::kOne;
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(units, static_cast<std::uint64_t>(max * Factor::kOne)))};
}

}  // namespace frond::query
