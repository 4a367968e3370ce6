#include "leaf/serve/search/at_once.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "leaf/families/metric_families.h"

namespace frond::leaf::serve {
namespace {

constexpr Instant::rep kLongAgo = Instant::min().time_since_epoch().count();

Instant instant_of(const std::atomic<Instant::rep>& of) {
  return Instant(Instant::duration(of.load(std::memory_order_relaxed)));
}

// Of the calling thread, pages that it has waited for.
long waits_for_disk() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

}  // namespace

AtOnce::AtOnce(schedule::CostModel model, std::chrono::microseconds most, metrics::Registry* registry)
    : most_(most), costs_(std::move(model)), free_from_(kLongAgo), disk_until_(kLongAgo) {
  if (registry != nullptr) searches_ = registry->counter(families::kAtOnce);
}

bool AtOnce::may_begin(Instant now, std::size_t request_bytes) const {
  return most_.count() > 0 && request_bytes <= kMaxRequestBytes && instant_of(free_from_) <= now + kStretch &&
         instant_of(disk_until_) <= now;
}

// Time in which the thread had no core counts as well, but no more than kMostTime.
void AtOnce::ended(Instant began, Instant end) {
  searches_.add();
  const auto took = std::clamp<Instant::duration>(end - began, Instant::duration(0), kMostTime);
  free_from_.store((std::max(instant_of(free_from_), began) + 2 * took).time_since_epoch().count(),
                   std::memory_order_relaxed);
  if (end - began < kMostTime) return;
  static thread_local long known = 0;
  const long waits = waits_for_disk();
  if (std::exchange(known, waits) != waits)
    disk_until_.store((end + kAfterDisk).time_since_epoch().count(), std::memory_order_relaxed);
}

void AtOnce::observe(const schedule::PredictedCost& predicted, double spent_us) {
  if (predicted.us > 0) costs_.observe(predicted, spent_us / predicted.us);
}

}  // namespace frond::leaf::serve
