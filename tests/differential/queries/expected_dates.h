#pragma once
// Where the buckets of dates begin: among all instants at which one may begin the last one up to a date.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "common/query/facets/facet.h"
#include "common/query/facets/time_zone.h"

namespace frond::queries_test {

// Of local time, as if that were UTC.
inline std::int64_t start_of_local(const query::Facet& facet, std::int64_t ms) {
  using namespace std::chrono;
  if (facet.interval_ms > 0) {
    std::int64_t quotient = ms / facet.interval_ms;
    if (quotient * facet.interval_ms > ms) --quotient;
    return quotient * facet.interval_ms;
  }
  const sys_time<milliseconds> at{milliseconds(ms)};
  const sys_days day = floor<days>(at);
  const year_month_day date(day);
  const auto of = [](auto time) { return std::int64_t{floor<milliseconds>(time).time_since_epoch().count()}; };
  switch (facet.unit) {
    case query::DateUnit::kMinute:
      return of(floor<minutes>(at));
    case query::DateUnit::kHour:
      return of(floor<hours>(at));
    case query::DateUnit::kDay:
      return of(day);
    case query::DateUnit::kWeek:
      return of(day - (weekday(day) - Monday));
    case query::DateUnit::kMonth:
      return of(sys_days(date.year() / date.month() / 1));
    case query::DateUnit::kQuarter:
      return of(sys_days(date.year() / month((static_cast<unsigned>(date.month()) - 1) / 3 * 3 + 1) / 1));
    case query::DateUnit::kYear:
      return of(sys_days(date.year() / January / 1));
  }
  return 0;
}

inline std::int64_t start_of_date(const query::Facet& facet, std::int64_t ms) {
  const std::int64_t at = ms - facet.offset_ms;
  static std::map<std::string, query::ZoneRules> read;
  if (!facet.zone.empty() && !read.contains(facet.zone)) read[facet.zone] = *query::zone_rules(facet.zone);
  const query::ZoneRules& rules = read[facet.zone];
  if (rules.empty()) return start_of_local(facet, at) + facet.offset_ms;
  const bool by_day = facet.interval_ms == 0 && facet.unit >= query::DateUnit::kDay;
  // Of days and longer: the latest local day so far, and the first instant of it; else the last start in any period.
  std::int64_t start = INT64_MIN, latest = INT64_MIN;
  for (std::size_t i = 0; i < rules.size() && rules[i].at_ms <= at; ++i) {
    const std::int64_t first = rules[i].at_ms, offset = rules[i].offset_ms;
    const std::int64_t last = i + 1 < rules.size() ? std::min(at, rules[i + 1].at_ms - 1) : at;
    const std::int64_t local = start_of_local(facet, last + offset);
    const std::int64_t skipped = i == 0 ? INT64_MIN : first + rules[i - 1].offset_ms;  // from here to first + offset
    if (by_day && local <= latest) continue;
    if (i == 0 || local - offset >= first)
      start = local - offset;
    else if (local >= skipped)
      start = first;
    latest = std::max(latest, local);
  }
  return start + facet.offset_ms;
}

}  // namespace frond::queries_test
