#pragma once
// A clock that a test moves by hand. Any thread may read it.
#include <atomic>
#include <chrono>

#include "common/base/deadline.h"

namespace frond::support {

class ManualClock final : public Clock {
 public:
  Instant now() const override {
    const auto now = now_us_.fetch_add(step_us_.load());
    return Instant(std::chrono::microseconds(now));
  }
  void advance(std::chrono::microseconds by) { now_us_ += by.count(); }
  // From now on every now() also moves the clock.
  void advance_at_each_look(std::chrono::microseconds by) { step_us_ = by.count(); }

 private:
  mutable std::atomic<std::int64_t> now_us_{1'000'000};
  std::atomic<std::int64_t> step_us_{0};
};

}  // namespace frond::support
