#include "common/query/facets/facet_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/check.h"

namespace frond::query {
namespace {

using schema::FieldType;
using Kind = Facet::Kind;
using Int64 = std::numeric_limits<std::int64_t>;

constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;

std::int64_t floor_quotient(std::int64_t value, std::int64_t unit) { return value / unit - (value % unit < 0 ? 1 : 0); }
// The greatest multiple of `unit` that is not above the value, or the least number.
std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  std::int64_t floor = 0;
  const bool below_all = __builtin_mul_overflow(floor_quotient(value, unit), unit, &floor);
  return below_all ? std::numeric_limits<std::int64_t>::min() : floor;
}

constexpr double kMaxMultiple = 9007199254740992;  // 2^53: above it there may be no value between two multiples

double floor_to(double value, double interval) {
  const double quotient = std::floor(value / interval);
  if (!(std::abs(quotient) < kMaxMultiple)) return value;
  double start = quotient * interval;
  if (start > value) start = (quotient - 1) * interval;  // both were rounded
  if ((quotient + 1) * interval <= value) start = (quotient + 1) * interval;
  return std::isfinite(start) ? start + 0.0 : std::numeric_limits<double>::lowest();
}

// The Gregorian calendar before and after all of std::chrono's years (Hinnant, "chrono-Compatible Low-Level Date
// Algorithms"): days since 1970 of the first of a month, and back.
std::int64_t first_of_month(std::int64_t months) {  // since year 0
  const std::int64_t year = floor_quotient(months, 12), month = months - year * 12;
  const std::int64_t y = month < 2 ? year - 1 : year;  // years from March on
  const std::int64_t era = floor_quotient(y, 400), of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month < 2 ? month + 10 : month - 2) + 2) / 5;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719'468;
}
std::int64_t months_of_day(std::int64_t day) {
  const std::int64_t z = day + 719'468, era = floor_quotient(z, 146'097), of_era = z - era * 146'097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t day_of_year = of_era - (365 * year + year / 4 - year / 100);
  return (year + era * 400) * 12 + (5 * day_of_year + 2) / 153 + 2;
}

std::int64_t start_of_unit(DateUnit unit, std::int64_t ms) {
  constexpr std::int64_t kMonday = 4 * kDay;  // 1970-01-05
  constexpr std::int64_t kLengths[] = {kMinute, kHour, kDay, 7 * kDay};
  constexpr std::int64_t kMonths[] = {1, 3, 12};
  const auto number = static_cast<std::size_t>(unit);
  if (unit < DateUnit::kWeek) return floor_to(ms, kLengths[number]);
  const std::int64_t day = floor_quotient(ms, kDay);
  std::int64_t first = 0;
  if (unit == DateUnit::kWeek)
    first = floor_to(day - kMonday / kDay, 7) + kMonday / kDay;
  else
    first = first_of_month(floor_to(months_of_day(day), kMonths[number - static_cast<std::size_t>(DateUnit::kMonth)]));
  std::int64_t start = 0;
  return __builtin_mul_overflow(first, kDay, &start) ? std::numeric_limits<std::int64_t>::min() : start;
}

// A sum, or the last number on the way to it.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? Int64::min() : Int64::max();
}

std::int64_t start_in_zone(const Facet& facet, std::int64_t ms) {
  const auto floor = [&](std::int64_t local) {
    return facet.interval_ms > 0 ? floor_to(local, facet.interval_ms) : start_of_unit(facet.unit, local);
  };
  const ZoneRules& rules = facet.rules;
  if (rules.empty()) return floor(ms);
  const bool is_once = facet.interval_ms == 0 && facet.unit >= DateUnit::kDay;
  auto now = std::ranges::upper_bound(rules, ms, {}, &ZoneChange::at_ms) - 1;
  for (;; --now) {
    const std::int64_t local = floor(sum_of(ms, now->offset_ms)), start = sum_of(local, -now->offset_ms);
    if (now == rules.begin()) return start;
    const std::int64_t shown = sum_of(now->at_ms, (now - 1)->offset_ms);  // local time that was shown before
    if (start >= now->at_ms && (!is_once || local >= shown)) return start;
    if (start < now->at_ms && local >= shown) return now->at_ms;  // clocks did not show its start
    ms = now->at_ms - 1;
  }
}

std::int64_t start_of_date(const Facet& facet, std::int64_t ms) {
  const std::int64_t start = sum_of(start_in_zone(facet, sum_of(ms, -facet.offset_ms)), facet.offset_ms);
  return start <= ms ? start : Int64::min();
}

// Of a bucket, about.
std::int64_t length_of(const Facet& facet) {
  constexpr std::int64_t kLengths[] = {kMinute, kHour, kDay, 7 * kDay, 30 * kDay, 91 * kDay, 365 * kDay};
  return facet.interval_ms > 0 ? facet.interval_ms : kLengths[static_cast<std::size_t>(facet.unit)];
}

std::optional<std::int64_t> next_date(const Facet& facet, std::int64_t start) {
  std::int64_t next = start;
  for (std::int64_t to = sum_of(start, length_of(facet) / 2); next <= start; next = start_of_date(facet, to)) {
    if (to == Int64::max()) return {};
    to = sum_of(to, length_of(facet));
  }
  for (;;) {
    const std::int64_t before = start_of_date(facet, next - 1);
    if (before <= start) return next;
    next = before;
  }
}

// Bits of a float's key that are left out in a bucket: 7 bits of the fraction stay.
constexpr std::uint64_t kLeftOut = (std::uint64_t{1} << 45) - 1;

}  // namespace

std::uint64_t bucket_key(const Facet& facet, FieldType type, std::uint64_t key) {
  FROND_CHECK(type != FieldType::kKeyword && type != FieldType::kBoolean);
  const schema::Value value = schema::value_of_key(type, key);
  const auto* const real = std::get_if<double>(&value);
  if (facet.kind == Kind::kPercentiles)
    return schema::ordering_key(FieldType::kFloat,
                                real != nullptr ? *real : static_cast<double>(std::get<std::int64_t>(value))) &
           ~kLeftOut;
  if (real != nullptr) return schema::ordering_key(type, floor_to(*real, facet.interval));
  const auto whole = std::get<std::int64_t>(value);
  if (facet.kind == Kind::kDates) return schema::ordering_key(type, start_of_date(facet, whole));
  return schema::ordering_key(type, floor_to(whole, static_cast<std::int64_t>(facet.interval)));
}

std::optional<std::uint64_t> next_bucket(const Facet& facet, FieldType type, std::uint64_t bucket) {
  const schema::Value value = schema::value_of_key(type, bucket);
  if (const auto* const real = std::get_if<double>(&value)) {
    const double quotient = std::round(*real / facet.interval), next = (quotient + 1) * facet.interval;
    if (!(std::abs(quotient) < kMaxMultiple) || !(next > *real) || !std::isfinite(next)) return {};
    return schema::ordering_key(type, next);
  }
  const auto whole = std::get<std::int64_t>(value);
  if (facet.kind == Kind::kDates) {
    const auto next = next_date(facet, whole);
    return next ? std::optional(schema::ordering_key(type, *next)) : std::nullopt;
  }
  std::int64_t next = floor_to(whole, static_cast<std::int64_t>(facet.interval));
  if (next > whole || __builtin_add_overflow(next, static_cast<std::int64_t>(facet.interval), &next)) return {};
  // The first bucket of all may begin between two multiples.
  return schema::ordering_key(type, floor_to(next, static_cast<std::int64_t>(facet.interval)));
}

schema::Value value_in(FieldType type, std::uint64_t bucket) {
  const double first = std::get<double>(schema::value_of_key(FieldType::kFloat, bucket));
  const double last = std::get<double>(schema::value_of_key(FieldType::kFloat, bucket | kLeftOut));
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (type == FieldType::kInteger) {
    const double least = std::ceil(first), greatest = std::floor(last);
    const double middle = std::floor(least + (greatest - least) / 2);
    return middle >= kBeyond ? Int64::max() : middle < -kBeyond ? Int64::min() : static_cast<std::int64_t>(middle);
  }
  const double middle = first + (last - first) / 2;
  return std::abs(middle) < std::numeric_limits<double>::min() ? 0.0 : middle;
}

std::uint64_t date_steps(const Facet& facet, std::uint64_t least, std::uint64_t greatest) {
  const auto of = [](std::uint64_t key) { return std::get<std::int64_t>(schema::value_of_key(FieldType::kDate, key)); };
  std::int64_t steps = facet.interval_ms > 0 ? facet.interval_ms : std::min(length_of(facet), kDay);
  steps = std::gcd(steps, facet.offset_ms);
  for (auto rule = facet.rules.begin(); rule != facet.rules.end(); ++rule) {
    const auto next = rule + 1;
    if (next != facet.rules.end() && next->at_ms <= sum_of(start_of_date(facet, of(least)), -facet.offset_ms)) continue;
    if (rule->at_ms > sum_of(of(greatest), -facet.offset_ms)) break;
    steps = std::gcd(steps, rule->offset_ms);
    if (rule != facet.rules.begin()) steps = std::gcd(steps, sum_of(rule->at_ms, facet.offset_ms));
  }
  return static_cast<std::uint64_t>(steps);
}

}  // namespace frond::query
