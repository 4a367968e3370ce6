#pragma once
// What bisection on a CPU and on a device do alike, to the bit: limits, and the arithmetic of gains. Gains are
// integers, in 1/65,536 of a nat, so their sums depend neither on the order of terms nor on the number of threads.
#include <cmath>
#include <cstdint>

#include "common/base/check.h"
#include "common/scoring/bm25.h"

namespace frond::indexer::order {

inline constexpr std::uint32_t kSmallestRange = 16;  // documents; ranges up to it stay in the input's order
inline constexpr std::uint32_t kMaxRounds = 10;      // of exchanges at one cut; both papers have 20, without a margin
inline constexpr std::uint32_t kMinMovedPart = 50;   // a round that moves less than one in so many is the last

inline constexpr double kNat = 65536;
// By how much the gain that a document must have grows from round to round: 0.75 nats. Without it, like documents of
// different halves change places for many rounds.
inline constexpr std::int64_t kMarginStep = 49152;

inline std::int32_t in_fixed_point(double nats) { return static_cast<std::int32_t>(std::llround(nats * kNat)); }

// A term that d of a side's n documents have costs d log(n / (d + 1)), in nats. So the d-th document costs log(n) minus
// this. The step of 0 is 0.
inline std::int32_t step_of(std::uint32_t d) {
  if (d == 0) return 0;
  return in_fixed_point(d * scoring::natural_log(d + 1.0) - (d - 1) * scoring::natural_log(d));
}
// What log(n) of the left half is more than that of the right.
inline std::int32_t size_difference(std::uint32_t left, std::uint32_t right) {
  return in_fixed_point(scoring::natural_log(left) - scoring::natural_log(right));
}

// A document's preference for the right half, and the half that it is in, as a number whose order is that of the
// preferences; at equal preference those that are left come first. So a selection of the smallest moves no document
// without a gain. Preferences beyond 16,383 nats are all alike.
FROND_HOST_DEVICE inline std::uint32_t preference_key(std::int64_t preference, bool is_right) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 30) - 1;
  const std::int64_t bounded = preference < -kMost ? -kMost : preference > kMost ? kMost : preference;
  return static_cast<std::uint32_t>((bounded + kMost + 1) << 1) | (is_right ? 1u : 0u);
}

}  // namespace frond::indexer::order
