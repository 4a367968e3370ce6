#pragma once
// For how long a device worked on our batches, from the begin and end of each by the device's own clock. Batches of
// several streams overlap; time in which several run counts once. Thread-safe; add() does not allocate.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/mutex.h"

namespace frond::leaf::gpu {

class BusyTime {
 public:
  // Separate periods that are remembered to find overlaps. Batches may be added in another order than they ran in. But
  // when more than kPeriods are known the earliest is forgotten, and time before its end is not counted any more.
  static constexpr std::size_t kPeriods = 16;

  BusyTime() { periods_.reserve(kPeriods + 1); }
  // Adds nothing unless ended_ns > began_ns.
  void add(std::uint64_t began_ns, std::uint64_t ended_ns) {
    const MutexLock lock(mutex_);
    Period own{std::max(began_ns, forgotten_until_), ended_ns};
    if (own.ended <= own.began) return;
    // Periods that it touches are merged with it.
    const auto first =
        std::find_if(periods_.begin(), periods_.end(), [&](Period one) { return one.ended >= own.began; });
    const auto behind = std::find_if(first, periods_.end(), [&](Period one) { return one.began > own.ended; });
    std::uint64_t known = 0;
    for (auto one = first; one != behind; ++one) {
      own = {std::min(own.began, one->began), std::max(own.ended, one->ended)};
      known += one->ended - one->began;
    }
    busy_ns_ += own.ended - own.began - known;
    periods_.insert(periods_.erase(first, behind), own);
    if (periods_.size() <= kPeriods) return;
    forgotten_until_ = periods_.front().ended;
    periods_.erase(periods_.begin());
  }
  double seconds() const {
    const MutexLock lock(mutex_);
    return 1e-9 * static_cast<double>(busy_ns_);
  }

 private:
  struct Period {
    std::uint64_t began, ended;
  };

  mutable Mutex mutex_;
  std::vector<Period> periods_ FROND_GUARDED_BY(mutex_);  // disjoint, earliest first
  std::uint64_t forgotten_until_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint64_t busy_ns_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::gpu
