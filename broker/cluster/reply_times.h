#pragma once
// How long a leaf's latest searches took, so that a broker can tell which one is late. One thread.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace frond::broker::cluster {

class ReplyTimes {
 public:
  static constexpr std::size_t kKept = 128;    // the latest
  static constexpr std::size_t kEnough = 8;    // fewer say nothing
  static constexpr std::size_t kRenewed = 16;  // late_after() follows after so many more

  void add(std::chrono::microseconds took) {
    times_[added_++ % kKept] = took;
    if (added_ == kEnough || added_ % kRenewed == 0) renew();
  }
  // Twice the time that 19 of 20 took at most: about 1 in 100 takes longer on a leaf that is well. None: too few are
  // known.
  std::optional<std::chrono::microseconds> late_after() const { return late_after_; }

 private:
  void renew() {
    auto sorted = times_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(added_, kKept));
    const auto place = sorted.begin() + (end - sorted.begin()) * 19 / 20;
    std::nth_element(sorted.begin(), place, end);
    late_after_ = 2 * *place;
  }

  std::array<std::chrono::microseconds, kKept> times_{};
  std::uint64_t added_ = 0;
  std::optional<std::chrono::microseconds> late_after_;
};

}  // namespace frond::broker::cluster
