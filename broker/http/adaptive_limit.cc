#include "broker/http/adaptive_limit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace frond::broker::http {
namespace {
constexpr double kAim = 0.4;                        // the share of its time that a search is to take
constexpr double kTooMuch = 0.5;                    // the limit is lowered
constexpr double kLate = 0.9;                       // of its time: how long it would have taken is not known
constexpr double kManyLate = 0.1;                   // of all
constexpr double kLeast = 1 + 1.0 / 16, kMost = 2;  // factors by which it grows, and falls
constexpr double kAlone = 1.5;                      // places
constexpr std::size_t kEnough = 64;                 // searches tell something after kShort, fewer after kLong
constexpr std::chrono::milliseconds kShort{100}, kLong{1000};
constexpr int kGivenUp = 10;  // times as long as it was tried
}  // namespace

AdaptiveLimit::AdaptiveLimit(std::size_t most)
    : most_(static_cast<double>(most)), limit_(std::min(most_, std::max(most_ / 4, 128.0))) {}

void AdaptiveLimit::ended(std::size_t places, double used, Instant now) {
  if (!begun_) begun_ = now;
  ++count_;
  places_ += static_cast<double>(places);
  used_ += std::clamp(used, 0.0, 1.0);
  late_ += used >= kLate ? 1 : 0;
  if (now - *begun_ < (count_ < kEnough ? kLong : kShort)) return;
  const auto count = static_cast<double>(count_);
  decide({places_ / count, used_ / count, late_ / count, limit_}, now);
  begun_ = now;
  count_ = 0;
  places_ = used_ = late_ = 0;
}

void AdaptiveLimit::decide(const Seen& seen, Instant now) {
  const double right = seen.places * kAim / std::max(seen.used, 1e-6);
  if (seen.used <= kAim) {
    lowered_.reset();
    limit_ = std::min(most_, std::clamp(right, limit_ * kLeast, limit_ * kMost));
    return;
  }
  if (seen.used < kTooMuch || now < not_before_) return;
  if (!lowered_) {
    lowered_ = seen;
    lowered_since_ = now;
  } else if (is_in_vain(seen)) {
    limit_ = lowered_->limit;
    lowered_.reset();
    not_before_ = now + kGivenUp * (now - lowered_since_);
    return;
  }
  if (seen.places > kAlone) limit_ = std::max(1.0, std::clamp(right, limit_ / kMost, limit_));
}

// Whether searches take as long with half of the places, or alone where many are late. Where fewer places helped, they
// are what is compared next.
bool AdaptiveLimit::is_in_vain(const Seen& seen) {
  const bool half = seen.places <= lowered_->places / 2;
  if (lowered_->late >= kManyLate) {
    if (seen.late >= kManyLate) return seen.places <= kAlone;
  } else if (!half) {
    return false;
  } else if (seen.used > lowered_->used * std::sqrt(seen.places / lowered_->places)) {
    return true;
  }
  lowered_ = seen;
  return false;
}

}  // namespace frond::broker::http
