#pragma once
// The deficits of usual postings: small frequencies in documents that are not very long. A deficit takes three
// divisions, and each posting has one.
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/ids.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

// Any thread. 512 KiB, filled as they are asked for.
class DeficitTable {
 public:
  DeficitTable(double b, double average_length)
      : b_(b),
        average_length_(average_length),
        table_(std::make_unique<std::atomic<std::uint32_t>[]>(kFrequencies * kLengths)) {}
  // The bits of scoring::deficit(). Deficits are not negative, so their bits have the same order.
  std::uint32_t bits_of(Frequency frequency, std::uint32_t length) const {
    if (frequency > kFrequencies || length >= kLengths) [[unlikely]]
      return compute(frequency, length);
    std::atomic<std::uint32_t>& known = table_[(frequency - 1) * kLengths + length];
    const std::uint32_t bits = known.load(std::memory_order_relaxed);
    if (bits != 0) [[likely]]
      return bits;
    const std::uint32_t computed = compute(frequency, length);  // by all threads alike
    known.store(computed, std::memory_order_relaxed);
    return computed;
  }

 private:
  std::uint32_t compute(Frequency frequency, std::uint32_t length) const {
    return std::bit_cast<std::uint32_t>(scoring::deficit(b_, average_length_, frequency, length));
  }
  static constexpr std::size_t kFrequencies = 8, kLengths = std::size_t{1} << 14;
  double b_, average_length_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> table_;  // by frequency, then length; 0: not known
};

}  // namespace frond::postings
