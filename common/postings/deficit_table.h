#pragma once
// The deficits of usual postings: small frequencies in documents of usual length. A deficit takes three divisions, and
// each posting has one.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/ids.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

// Immutable; any thread. 32 KiB.
class DeficitTable {
 public:
  DeficitTable(double b, double average_length);
  // The bits of scoring::deficit(). Deficits are not negative, so their bits have the same order.
  std::uint32_t bits_of(Frequency frequency, std::uint32_t length) const {
    if (frequency <= kFrequencies && length < kLengths) [[likely]]
      return table_[(frequency - 1) * kLengths + length];
    return std::bit_cast<std::uint32_t>(scoring::deficit(b_, average_length_, frequency, length));
  }

 private:
  static constexpr std::size_t kFrequencies = 4, kLengths = 2048;
  double b_, average_length_;
  std::vector<std::uint32_t> table_;  // by frequency, then length
};

}  // namespace frond::postings
