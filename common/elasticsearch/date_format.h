#pragma once
// Dates as Elasticsearch's formats and date math write them: named formats ("strict_date_optional_time"), patterns
// ("dd/MM/yyyy"), several joined with `||`. Milliseconds since 1970. Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/elasticsearch/error.h"
#include "common/query/facets/time_zone.h"

namespace frond::elasticsearch {

namespace query = frond::query;  // not broker::query

inline constexpr std::int64_t kMsSecond = 1000, kMsMinute = 60 * kMsSecond, kMsHour = 60 * kMsMinute,
                              kMsDay = 24 * kMsHour;

inline constexpr std::int64_t kMostDateMs = 9'000'000'000'000'000;      // dates are nearer to 1970
inline constexpr std::size_t kMaxFormatBytes = 100, kMaxFormatRun = 9;  // of a format; of one letter in it

// How far its clocks are ahead of UTC.
struct Zone {
  query::ZoneRules rules;  // empty: UTC
  std::int64_t offset_at(std::int64_t utc_ms) const;
  // The instant that its clocks show so; of two the first.
  std::int64_t utc_of(std::int64_t local_ms) const;
};
// "+05:30", "Z", "America/New_York". illegal_argument_exception: there is none of that name.
Expected<Zone> zone_named(std::string_view name);

// How a text is read.
struct DateReading {
  bool round_up = false;    // hours and less that it doesn't say are the last ones, not the first
  Zone zone = {};           // of texts that name no offset
  std::int64_t now_ms = 0;  // of date math
};

// Whether a format is within the limits; a longer one reads and prints nothing.
bool is_short_format(std::string_view format);
// Empty: the text has none of the formats.
std::optional<std::int64_t> parse_date(std::string_view text, std::string_view format, const DateReading& reading);
// The same, also "now-1d/d" and "2021-01-01||+1M/M". parse_exception: none of both.
Expected<std::int64_t> parse_date_math(std::string_view text, std::string_view format, const DateReading& reading);

// A date in the first of the formats. Empty: it can't be printed here.
std::optional<std::string> print_date(std::int64_t ms, std::string_view format, const Zone& zone = {});

inline constexpr std::int64_t kMostDurationMs = 9'000'000'000'000'000;
// "3h", "90m", "1d": as milliseconds, up to kMostDurationMs; empty: anything else.
std::optional<std::int64_t> duration_ms(std::string_view text);

}  // namespace frond::elasticsearch
