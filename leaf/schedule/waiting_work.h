#pragma once
// How much predicted work waits in a queue, in total and before a job of a given cost when light jobs go first. Sums
// are integers, so that what is added and removed again leaves nothing behind.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace frond::leaf::schedule {

class WaitingWork {
 public:
  void add(std::int64_t cost_ns) {
    of_class_[class_of(cost_ns)] += cost_ns;
    total_ += cost_ns;
  }
  void remove(std::int64_t cost_ns) {
    of_class_[class_of(cost_ns)] -= cost_ns;
    total_ -= cost_ns;
  }
  std::int64_t total() const { return total_; }
  // The work of jobs whose cost is at most about this one's: a class is a factor of two.
  std::int64_t before(std::int64_t cost_ns) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0, end = class_of(cost_ns); i <= end; ++i) sum += of_class_[i];
    return sum;
  }

 private:
  static constexpr std::size_t kClasses = 24;  // the first: below 1.024 us
  static std::size_t class_of(std::int64_t cost_ns) {
    const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(cost_ns) >> 10));
    return bits < kClasses ? bits : kClasses - 1;
  }
  std::array<std::int64_t, kClasses> of_class_{};
  std::int64_t total_ = 0;
};

}  // namespace frond::leaf::schedule
