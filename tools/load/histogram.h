#pragma once
// Counts durations from a nanosecond to centuries in fixed memory. Each power of two has 128 buckets, so a bucket is at
// most 0.8 % of its value wide.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace frond::tools {

class Histogram {
 public:
  void add(std::uint64_t value) {
    ++counts_[bucket_of(value)];
    ++count_;
    sum_ += static_cast<double>(value);
    max_ = std::max(max_, value);
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }
  double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
  // The smallest value that `fraction` (0..1) of all values do not exceed, rounded up to its bucket's end; 0 if empty.
  std::uint64_t quantile(double fraction) const {
    if (count_ == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_) - 1e-9)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((seen += counts_[i]) >= wanted) return std::min(end_of(i), max_);
    return max_;
  }

 private:
  static constexpr unsigned kBits = 7;
  // Values below 256 have a bucket each. For larger ones the leading 8 bits choose the bucket.
  static std::size_t bucket_of(std::uint64_t value) {
    const unsigned width = static_cast<unsigned>(std::bit_width(value));
    if (width <= kBits + 1) return value;
    const unsigned shift = width - (kBits + 1);
    return (std::size_t{shift} << kBits) + (value >> shift);
  }
  static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < (1u << (kBits + 1))) return bucket;
    const unsigned shift = static_cast<unsigned>(bucket >> kBits) - 1;
    const std::uint64_t first = (bucket & ((1u << kBits) - 1)) + (1u << kBits);
    return (first << shift) + ((std::uint64_t{1} << shift) - 1);
  }
  std::array<std::uint64_t, (64 - kBits + 1) << kBits> counts_{};
  std::uint64_t count_ = 0, max_ = 0;
  double sum_ = 0;
};

}  // namespace frond::tools
