#include "indexer/change/pace.h"

#include <algorithm>

#include "indexer/change/open_writer.h"

namespace frond::indexer::change {

Pace::Clock::duration Pace::owed(std::uint64_t bytes, Clock::time_point now) {
  constexpr std::chrono::milliseconds kShortest{20};
  if (rate_ == 0) return {};
  due_ = std::max(due_, now - kShortest);
  due_ += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_)));
  return due_ - now < kShortest ? Clock::duration{} : due_ - now;
}

Result<void> Pace::spend(std::uint64_t bytes, const std::stop_token& stop) {
  if (const auto wait = owed(bytes, Clock::now()); wait > Clock::duration{}) pause_for(wait, stop);
  if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  return {};
}

}  // namespace frond::indexer::change
