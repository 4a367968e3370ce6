#include "broker/http/admission/adaptive_limit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace frond::broker::http {
namespace {
constexpr double kTooMuch = 0.5;                    // of its time: the limit is lowered
constexpr double kLate = 0.9;                       // how long it would have taken is not known
constexpr double kManyLate = 0.1;                   // of all
constexpr double kLeast = 1 + 1.0 / 16, kMost = 2;  // factors by which it grows, and falls
constexpr double kAlone = 2;                        // places; one, and one for a costly search
constexpr double kChanged = 1.15;                   // with fewer places it takes longer: something else changed
constexpr std::size_t kEnough = 64;                 // searches tell something after kShort, fewer after kLong
constexpr std::chrono::milliseconds kShort{100}, kLong{1000};
constexpr std::chrono::seconds kSoonest{2}, kLatest{60};  // until something is tried again
constexpr std::chrono::seconds kSilence{5};               // in which no search ended
constexpr int kSure = 2;                                  // times that it seems in vain
constexpr int kGivenUp = 10;                              // times as long as it was tried

Instant again(Instant now, Instant since) {
  return now + std::clamp<Instant::duration>(kGivenUp * (now - since), kSoonest, kLatest);
}
}  // namespace

AdaptiveLimit::AdaptiveLimit(std::size_t most)
    : most_(static_cast<double>(most)),
      least_(std::min(most_, kAlone)),
      limit_(std::min(most_, std::max(most_ / 4, 128.0))) {}

void AdaptiveLimit::came(Instant now) {
  if (last_ && now - *last_ >= kSilence) *this = AdaptiveLimit(static_cast<std::size_t>(most_));
}

void AdaptiveLimit::ended(std::size_t places, double used, Instant now) {
  last_ = now;
  if (!begun_) begun_ = now;
  ++count_;
  most_places_ = std::max(most_places_, places);
  places_ += static_cast<double>(places);
  used_ += std::clamp(used, 0.0, 1.0);
  late_ += used >= kLate ? 1 : 0;
  if (now - *begun_ < (count_ < kEnough ? kLong : kShort)) return;
  const auto count = static_cast<double>(count_);
  decide({places_ / count, used_ / count, late_ / count, limit_, most_places_ >= limit()}, now);
  begun_ = now;
  count_ = most_places_ = 0;
  places_ = used_ = late_ = 0;
}

void AdaptiveLimit::decide(const Seen& seen, Instant now) {
  if (seen.used <= kAim) {
    lowered_.reset();
    raised_.reset();
    limit_ =
        std::min(most_, std::clamp(seen.places * kAim / std::max(seen.used, 1e-6), limit_ * kLeast, limit_ * kMost));
    return;
  }
  if (raised_) return raise(seen, now);
  const bool may_lower = now >= no_lower_before_, stays = !may_lower || seen.used < kTooMuch;
  if (may_lower && (lowered_ || !stays)) lower(seen, now);
  if (stays && seen.all_taken && now >= no_raise_before_ && (seen.late < kManyLate || !may_lower)) {
    raised_ = {seen, now};
    limit_ = std::min(most_, limit_ * kMost);
  }
}

void AdaptiveLimit::lower(const Seen& seen, Instant now) {
  if (!lowered_) {
    lowered_ = {seen, now};
  } else if (is_in_vain(seen, now)) {
    limit_ = lowered_->from.limit;
    no_lower_before_ = again(now, lowered_->since);
    lowered_.reset();
    return;
  }
  if (seen.used >= kTooMuch && seen.places > kAlone)
    limit_ = std::max(least_, std::clamp(seen.places * kAim / seen.used, limit_ / kMost, limit_));
}

// Whether searches take as long with half of the places, or alone where many are late, kSure times. Where fewer places
// helped, or searches take longer for another reason, what is seen now is compared next.
bool AdaptiveLimit::is_in_vain(const Seen& seen, Instant now) {
  Seen& from = lowered_->from;
  const bool many_late = seen.late >= kManyLate;
  const auto is_sure = [&] { return ++lowered_->in_vain >= kSure; };
  if (from.late >= kManyLate) {
    if (many_late) return seen.places <= kAlone && is_sure();
  } else if (!many_late && seen.used <= from.used * kChanged) {
    if (seen.places > from.places / 2) return false;
    if (seen.used > from.used * std::sqrt(seen.places / from.places)) return is_sure();
  }
  lowered_->in_vain = 0;
  no_raise_before_ = std::max(no_raise_before_, again(now, lowered_->since));
  const double limit = from.limit;
  from = seen;
  from.limit = std::max(limit, seen.limit);
  return false;
}

// Keeps twice as many places if searches take as long with half as many more.
void AdaptiveLimit::raise(const Seen& seen, Instant now) {
  const Seen& from = raised_->from;
  const bool longer =
      seen.used > from.used * std::sqrt(std::max(1.0, seen.places / from.places)) || seen.late > from.late + kManyLate;
  if (longer) {
    limit_ = from.limit;
    no_raise_before_ = again(now, raised_->since);
  } else if (seen.places < from.places * 1.5 && seen.all_taken && now - raised_->since < kLatest) {
    return;  // the places fill still
  }
  raised_.reset();
}

}  // namespace frond::broker::http
