#include "common/objects/retry.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace frond::objects {
namespace {

std::chrono::milliseconds random_below(std::chrono::milliseconds most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(random));
}

}  // namespace

Retry::Retry(const RetryLimits& limits, std::uint64_t bytes, Stopping stopping, bool first)
    : limits_(limits),
      stopping_(std::move(stopping)),
      end_(begun_ + (first
                         ? std::min<std::chrono::milliseconds>(std::chrono::seconds(limits.first_answer_s), limits.time)
                         : limits.time)),
      max_wasted_(std::max(bytes, limits.wasted_bytes)) {}

std::chrono::milliseconds Retry::left() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

std::chrono::milliseconds Retry::spent() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
}

bool Retry::again(std::uint64_t moved, std::chrono::milliseconds at_least) {
  wasted_ += moved;
  const auto longest = std::min(limits_.longest_pause, limits_.first_pause * (1u << std::min(attempts_ - 1, 16u)));
  const auto pause = std::max(random_below(longest), std::min(at_least, limits_.longest_pause));
  if (attempts_ >= limits_.attempts) bound_ = "the last attempt that is allowed";
  if (wasted_ > max_wasted_) bound_ = "too many bytes were moved in vain";
  if (std::chrono::steady_clock::now() + pause >= end_) bound_ = "no time is left";
  if (stopping_ && stopping_()) bound_ = kStopped;
  if (*bound_ != '\0') return false;
  ++attempts_;
  const auto until = std::chrono::steady_clock::now() + pause;
  constexpr std::chrono::milliseconds kLook{50};
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_until(std::min(until, std::chrono::steady_clock::now() + kLook));
    if (!stopping_ || !stopping_()) continue;
    bound_ = kStopped;
    return false;
  }
  return true;
}

}  // namespace frond::objects
