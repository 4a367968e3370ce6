#pragma once
// Holds work to a number of bytes a second, so that what runs in the background leaves the disk to others.
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "common/base/result.h"

namespace frond::indexer::change {

// One thread.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Pace(std::uint64_t bytes_per_second, Clock::time_point now = Clock::now())  // 0: no limit
      : rate_(bytes_per_second), due_(now) {}
  // Counts bytes, and waits where they came too fast. Time in which less came is not made up for. kUnavailable:
  // stopped.
  Result<void> spend(std::uint64_t bytes, const std::stop_token& stop);
  // How long spend() would wait at `now`. Short waits are put off.
  Clock::duration owed(std::uint64_t bytes, Clock::time_point now);

 private:
  const std::uint64_t rate_;
  Clock::time_point due_;  // when the bytes so far may have been worked on
};

}  // namespace frond::indexer::change
