#pragma once
// A clock that also counts while the machine is suspended, for what others may take from this process meanwhile.
#include <time.h>

#include <chrono>

#include "common/base/deadline.h"

namespace frond {

class BootClock final : public Clock {
 public:
  Instant now() const override {
    timespec at{};
    ::clock_gettime(CLOCK_BOOTTIME, &at);
    return Instant(std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec));
  }
};

}  // namespace frond
