#pragma once
// What a device has of codes that are summed up (CountedCodes::sums).
#include <cstdint>
#include <span>

namespace frond::leaf::engine {

// Its counters: kMissing, and from place kFirst on two for each Number, the low half first. Without codes all are 0.
// Nothing overflows, since a column of a device has less than 2^31 codes.
struct CodeSums {
  static constexpr std::uint32_t kMissing = 0;  // a counter: documents without a code
  static constexpr std::uint32_t kFirst = 2;    // the one between is 0
  enum Number { kCodes, kLow, kHigh, kGreatest, kLeastInverted, kNumbers };
  static constexpr std::uint32_t kCounters = kFirst + 2 * kNumbers;

  std::uint32_t missing = 0;
  std::uint64_t codes = 0;
  std::uint64_t low = 0, high = 0;  // of the codes the sums of the lower and of the upper 32 bits
  std::uint64_t greatest = 0, least = 0;

  static CodeSums of(std::span<const std::uint32_t> counters) {
    const auto number = [counters](Number which) {
      return counters[kFirst + 2 * which] | std::uint64_t{counters[kFirst + 2 * which + 1]} << 32;
    };
    return {counters[kMissing], number(kCodes),    number(kLow),
            number(kHigh),      number(kGreatest), ~number(kLeastInverted)};
  }
};

}  // namespace frond::leaf::engine
