#pragma once
// Dates as milliseconds since 1970 in UTC, without leap seconds. Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::schema {

// All milliseconds that a text stands for, both ends included.
struct DatePeriod {
  std::int64_t first_ms = 0, last_ms = 0;
  friend bool operator==(const DatePeriod&, const DatePeriod&) = default;
};

// "2020-12-31T23:59:59.999+01:00" (RFC 3339; digits below a millisecond are dropped, and second 60 is the next minute's
// first), the same without seconds or without an offset (UTC), "2020-12-31", "2020-12", "2020"; other whole numbers are
// milliseconds. A year has four digits, so that 1577836800000 is no year. Empty: anything else, also dates that the
// calendar lacks.
std::optional<DatePeriod> parse_date(std::string_view text);

// RFC 3339 in UTC, with three digits below the second if they are not 0; years outside of 0 to 9999 as milliseconds.
// parse_date() reads it back.
std::string date_text(std::int64_t ms);

}  // namespace frond::schema
