// Zones, date math and durations.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "common/elasticsearch/date_format.h"
#include "common/text/utf8.h"

namespace frond::elasticsearch {
namespace {

constexpr std::int64_t kMostMonths = 20'000 * 12;  // years of the calendar have 16 bits
// The years that dates are counted in: 0 to 9999.
bool is_of_calendar(std::int64_t ms) { return ms >= -62'167'219'200'000 && ms <= 253'402'300'799'999; }

// The first or the last millisecond of the unit that the time is in, by clocks of the zone.
std::optional<std::int64_t> rounded(std::int64_t ms, char unit, const DateReading& reading) {
  using namespace std::chrono;
  const std::int64_t local = ms + reading.zone.offset_at(ms);
  const auto whole = [&](std::int64_t length) {
    const std::int64_t rest = (local % length + length) % length;
    return local - rest + (reading.round_up ? length - 1 : 0);
  };
  const sys_days day = floor<days>(sys_time<milliseconds>(milliseconds(local)));
  const year_month_day date(day);
  const auto between = [&](sys_days first, sys_days end) {
    return reading.round_up ? end.time_since_epoch().count() * kMsDay - 1 : first.time_since_epoch().count() * kMsDay;
  };
  std::int64_t result = 0;
  switch (unit) {
    case 'y':
      result = between(date.year() / January / 1, (date.year() + years(1)) / January / 1);
      break;
    case 'M':
      result = between(date.year() / date.month() / 1, (date.year() / date.month() + months(1)) / 1);
      break;
    case 'w': {
      const sys_days monday = day - (weekday(day) - Monday);
      result = between(monday, monday + days(7));
      break;
    }
    case 'd':
      result = whole(kMsDay);
      break;
    case 'h':
    case 'H':
      result = whole(kMsHour);
      break;
    case 'm':
      result = whole(kMsMinute);
      break;
    case 's':
      result = whole(kMsSecond);
      break;
    default:
      return {};
  }
  return reading.zone.utc_of(result);
}

std::optional<std::int64_t> moved(std::int64_t ms, std::int64_t count, char unit, const Zone& zone) {
  using namespace std::chrono;
  if (count > 1'000'000 || count < -1'000'000) return {};
  switch (unit) {
    case 'w':
      return ms + count * 7 * kMsDay;
    case 'd':
      return ms + count * kMsDay;
    case 'h':
    case 'H':
      return ms + count * kMsHour;
    case 'm':
      return ms + count * kMsMinute;
    case 's':
      return ms + count * kMsSecond;
    case 'y':
    case 'M':
      break;
    default:
      return {};
  }
  if (unit == 'y') count *= 12;
  if (count > kMostMonths || count < -kMostMonths) return {};
  const auto local = sys_time<milliseconds>(milliseconds(ms + zone.offset_at(ms)));
  const sys_days day = floor<days>(local);
  year_month_day date(day);
  date += months(static_cast<int>(count));
  if (!date.ok()) date = date.year() / date.month() / last;
  return zone.utc_of((sys_days(date) + (local - day)).time_since_epoch().count());
}

}  // namespace

std::int64_t Zone::offset_at(std::int64_t utc_ms) const {
  const auto next = std::ranges::upper_bound(rules, utc_ms, {}, &query::ZoneChange::at_ms);
  if (rules.empty()) return 0;
  return next == rules.begin() ? rules.front().offset_ms : std::prev(next)->offset_ms;
}

std::int64_t Zone::utc_of(std::int64_t local_ms) const {
  const std::int64_t before = local_ms - offset_at(local_ms - query::kMaxZoneOffsetMs / 2);
  return before + offset_at(before) == local_ms ? before : local_ms - offset_at(before);
}

Expected<Zone> zone_named(std::string_view name) {
  if (name == "Z" || name == "UTC") return Zone();  // what nearly all have; others are in a file
  auto rules = query::zone_rules(name);
  if (!rules) return illegal_argument("[time_zone] " + rules.error().message());
  return Zone{*std::move(rules)};
}

Expected<std::int64_t> parse_date_math(std::string_view text, std::string_view format, const DateReading& reading) {
  const auto fail = [&](std::string_view why) {
    return parse_exception(std::string(why) + " [" + std::string(text.substr(0, 200)) + "] with format [" +
                           std::string(format) + "]");
  };
  std::int64_t ms = reading.now_ms;
  std::string_view math;
  if (text.starts_with("now")) {
    math = text.substr(3);
  } else {
    const std::size_t bars = text.find("||");
    DateReading of_date = reading;
    if (bars != text.npos) {
      math = text.substr(bars + 2);
      of_date.round_up = false;
    }
    const auto date = parse_date(text.substr(0, bars), format, of_date);
    if (!date) return fail("failed to parse date field");
    ms = *date;
  }
  while (!math.empty()) {
    const char sign = math.front();
    math.remove_prefix(1);
    std::int64_t count = 1;
    if (sign != '/' && sign != '+' && sign != '-') return fail("operator not supported for date math");
    if (!math.empty() && text::is_ascii_digit(math.front())) {
      if (sign == '/') return fail("rounding `/` can only be used on single unit types");
      const auto [end, failed] = std::from_chars(math.data(), math.data() + math.size(), count);
      if (failed != std::errc()) return fail("failed to parse date math");
      math.remove_prefix(static_cast<std::size_t>(end - math.data()));
    }
    if (math.empty()) return fail("truncated date math");
    if (!is_of_calendar(ms)) return fail("a year that is not from 0 to 9999 in date math");
    const auto next = sign == '/' ? rounded(ms, math.front(), reading)
                                  : moved(ms, sign == '-' ? -count : count, math.front(), reading.zone);
    if (!next) return fail("unit not supported for date math");
    ms = *next;
    if (!is_of_calendar(ms)) return fail("a year that is not from 0 to 9999 in date math");
    math.remove_prefix(1);
  }
  return ms;
}

std::optional<std::int64_t> duration_ms(std::string_view text) {
  const bool behind = text.starts_with('-');
  if (behind || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || count < 0 || count > 1'000'000'000'000) return {};
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"ms", 1}, {"s", kMsSecond}, {"m", kMsMinute}, {"h", kMsHour}, {"d", kMsDay}};
  for (const auto& [name, length] : kUnits)
    if (unit == name && count <= kMostDurationMs / length) return (behind ? -1 : 1) * count * length;
  return {};
}

}  // namespace frond::elasticsearch
