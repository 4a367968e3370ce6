#include "common/keys/meter.h"

#include <algorithm>
#include <chrono>

namespace frond::keys {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kMaxDebt{3600};

nanoseconds time_of(double requests, double rate) {
  const double longest = std::chrono::duration<double, std::nano>(kMaxDebt).count();
  return nanoseconds(static_cast<std::int64_t>(std::min(requests * 1e9 / rate, longest)));
}

}  // namespace

Verdict Account::enter(const Limits& limits, Instant now) {
  if (limits.in_flight > 0 && in_flight_ >= limits.in_flight) return {Verdict::Kind::kTooMany};
  if (limits.rate > 0) {
    const nanoseconds step = time_of(1, limits.rate);
    const auto paid = std::max(paid_until_, now) + step;
    // A second's worth may come at once, and one request at least.
    const auto early = paid - now - std::max<nanoseconds>(seconds(1), step);
    if (early > nanoseconds(0)) return {Verdict::Kind::kTooFast, std::chrono::ceil<seconds>(early).count()};
    paid_until_ = paid;
  }
  ++in_flight_;
  return {};
}

void Account::charge(const Limits& limits, Instant now, std::size_t more) {
  if (limits.rate <= 0) return;
  const auto paid = std::max(paid_until_, now) + time_of(static_cast<double>(more), limits.rate);
  paid_until_ = std::max(paid_until_, std::min<Instant>(paid, now + kMaxDebt));
}

}  // namespace frond::keys
