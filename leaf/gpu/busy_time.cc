#include "leaf/gpu/busy_time.h"

#include <algorithm>

namespace frond::leaf::gpu {

void BusyTime::add(std::uint64_t began_ns, std::uint64_t ended_ns) {
  const MutexLock lock(mutex_);
  Period own{std::max(began_ns, forgotten_until_), ended_ns};
  if (own.ended <= own.began) return;
  // Periods that it touches are merged with it.
  const auto first = std::find_if(periods_.begin(), periods_.end(), [&](Period one) { return one.ended >= own.began; });
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

double BusyTime::seconds() const {
  const MutexLock lock(mutex_);
  return 1e-9 * static_cast<double>(busy_ns_);
}

}  // namespace frond::leaf::gpu
