#include "common/elasticsearch/date_format.h"

#include <algorithm>
#include <chrono>

#include "common/base/text.h"
#include "common/schema/value.h"
#include "common/text/utf8.h"

namespace frond::elasticsearch {
namespace {

// What a text says; hours and less are empty if it doesn't.
struct Parts {
  int year = 1970, month = 1, day = 1;
  std::optional<int> hour = {}, minute = {}, second = {}, ms = {};
  std::optional<std::int64_t> offset_ms = {};
};

class PartReader {
 public:
  explicit PartReader(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }
  bool at(char c) const { return !text_.empty() && text_.front() == c; }
  bool take(char c) {
    if (!at(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // From `least` to `most` digits.
  bool number(std::size_t least, std::size_t most, int& value) {
    std::size_t digits = 0;
    value = 0;
    for (; digits < most && !text_.empty() && text::is_ascii_digit(text_.front()); ++digits, text_.remove_prefix(1))
      value = value * 10 + (text_.front() - '0');
    return digits >= least;
  }
  bool number(std::size_t least, std::size_t most, std::optional<int>& value) {
    return number(least, most, value.emplace());
  }
  bool fraction(std::size_t most, std::optional<int>& ms) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < most && !text_.empty() && text::is_ascii_digit(text_.front()); ++digits, text_.remove_prefix(1))
      if (digits < 3) value = value * 10 + (text_.front() - '0');
    for (std::size_t i = digits; i < 3; ++i) value *= 10;
    ms = value;
    return digits > 0;
  }
  bool offset(std::optional<std::int64_t>& ms) {
    if (take('Z')) {
      ms = 0;
      return true;
    }
    const bool behind = at('-');
    int hours = 0, minutes = 0;
    if (!take('+') && !take('-')) return false;
    if (!number(2, 2, hours)) return false;
    if (take(':') || !at_end()) {
      if (!number(2, 2, minutes)) return false;
    }
    if (hours > 18 || minutes > 59) return false;
    ms = (hours * kMsHour + minutes * kMsMinute) * (behind ? -1 : 1);
    return true;
  }

 private:
  std::string_view text_;
};

bool read_optional_time(PartReader& in, Parts& to) {
  if (!in.number(4, 4, to.year)) return false;
  if (!in.take('-')) return in.at_end();
  if (!in.number(2, 2, to.month)) return false;
  if (!in.take('-')) return in.at_end();
  if (!in.number(2, 2, to.day)) return false;
  if (!in.take('T')) return in.at_end();
  if (in.at_end()) return true;
  if (!in.number(2, 2, to.hour)) return false;
  if (in.take(':')) {
    if (!in.number(2, 2, to.minute)) return false;
    if (in.take(':')) {
      if (!in.number(2, 2, to.second)) return false;
      if ((in.take('.') || in.take(',')) && !in.fraction(9, to.ms)) return false;
    }
  }
  return in.at_end() || (in.offset(to.offset_ms) && in.at_end());
}

struct Named {
  std::string_view name, pattern;
};
constexpr Named kNamed[] = {{"date", "yyyy-MM-dd"},
                            {"basic_date", "yyyyMMdd"},
                            {"date_time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"},
                            {"date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ssXXX"},
                            {"date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss"},
                            {"date_hour_minute", "yyyy-MM-dd'T'HH:mm"},
                            {"date_hour", "yyyy-MM-dd'T'HH"},
                            {"year_month_day", "yyyy-MM-dd"},
                            {"year_month", "yyyy-MM"},
                            {"year", "yyyy"},
                            {"basic_date_time", "yyyyMMdd'T'HHmmss.SSSXX"},
                            {"basic_date_time_no_millis", "yyyyMMdd'T'HHmmssXX"}};

bool is_optional_time(std::string_view format) {
  return format == "strict_date_optional_time" || format == "date_optional_time" || format == "iso8601" ||
         format == "strict_date_optional_time_nanos";
}
std::string_view pattern_of(std::string_view format) {
  const std::string_view plain = format.starts_with("strict_") ? format.substr(7) : format;
  for (const Named& named : kNamed)
    if (plain == named.name) return named.pattern;
  return format;
}

// Calls take(letter, count) for each run of a letter and literal(c) for other characters, until one answers false.
template <class Take, class Literal>
bool walk(std::string_view pattern, const Take& take, const Literal& literal) {
  bool quoted = false;
  if (pattern.size() > kMaxFormatBytes) return false;
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '\'') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '\'') {
        if (!literal('\'')) return false;
        ++i;
      } else {
        quoted = !quoted;
      }
      ++i;
    } else if (!quoted && text::is_ascii_letter(c)) {
      std::size_t end = i;
      while (end < pattern.size() && pattern[end] == c) ++end;
      if (end - i > kMaxFormatRun || !take(c, end - i)) return false;
      i = end;
    } else {
      if (!literal(c)) return false;
      ++i;
    }
  }
  return !quoted;
}

bool read_pattern(PartReader& in, std::string_view pattern, Parts& to) {
  const auto take = [&](char letter, std::size_t count) {
    const std::size_t least = count, most = count == 1 ? 2 : count;
    switch (letter) {
      case 'y':
      case 'u':
        return in.number(count, count == 1 ? 4 : count, to.year);
      case 'M':
        return count <= 2 && in.number(least, most, to.month);
      case 'd':
        return in.number(least, most, to.day);
      case 'H':
        return in.number(least, most, to.hour);
      case 'm':
        return in.number(least, most, to.minute);
      case 's':
        return in.number(least, most, to.second);
      case 'S':
        return in.fraction(count, to.ms);
      case 'X':
      case 'Z':
      case 'x':
        return in.offset(to.offset_ms);
      default:
        return false;
    }
  };
  return walk(pattern, take, [&](char c) { return in.take(c); }) && in.at_end();
}

std::optional<std::int64_t> ms_of(const Parts& parts, const DateReading& reading) {
  using namespace std::chrono;
  if (parts.year > 9999 || parts.month > 12 || parts.day > 31) return {};
  const year_month_day day{year(parts.year), month(static_cast<unsigned>(parts.month)),
                           std::chrono::day(static_cast<unsigned>(parts.day))};
  const auto given = [&](const std::optional<int>& part, int last) {
    return part.value_or(reading.round_up ? last : 0);
  };
  const int h = given(parts.hour, 23), m = given(parts.minute, 59), s = given(parts.second, 59);
  if (!day.ok() || h > 23 || m > 59 || s > 59) return {};
  const std::int64_t local = sys_days(day).time_since_epoch().count() * kMsDay + h * kMsHour + m * kMsMinute +
                             s * kMsSecond + given(parts.ms, 999);
  return parts.offset_ms ? local - *parts.offset_ms : reading.zone.utc_of(local);
}

std::optional<std::int64_t> parse_one(std::string_view text, std::string_view format, const DateReading& reading) {
  if (format == "epoch_millis" || format == "epoch_second") {
    // A fraction: of seconds as far as it is milliseconds.
    std::string_view fraction;
    if (const std::size_t dot = text.find('.'); dot != text.npos) {
      fraction = text.substr(dot + 1);
      text = text.substr(0, dot);
      const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
      if (fraction.empty() || !std::ranges::all_of(fraction, is_digit)) return {};
    }
    const auto number = number_in<std::int64_t>(text);
    const std::int64_t unit = format == "epoch_millis" ? 1 : 1000, most = kMostDateMs / unit;
    if (!number || *number <= -most || *number >= most) return {};
    if (unit == 1 || fraction.empty()) return *number * unit + (reading.round_up ? unit - 1 : 0);
    const auto ms = number_in<std::int64_t>((std::string(fraction) + "00").substr(0, 3)).value_or(0);
    return *number * unit + (text.starts_with('-') ? -ms : ms);
  }
  Parts parts;
  PartReader in(text);
  const bool read =
      is_optional_time(format) ? read_optional_time(in, parts) : read_pattern(in, pattern_of(format), parts);
  return read ? ms_of(parts, reading) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text, std::string_view format, const DateReading& reading) {
  if (format.size() > kMaxFormatBytes) return {};
  for (std::size_t from = 0; from <= format.size();) {
    const std::size_t end = std::min(format.find("||", from), format.size());
    if (const auto ms = parse_one(text, format.substr(from, end - from), reading)) return ms;
    from = end + 2;
  }
  return {};
}

bool is_short_format(std::string_view format) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < format.size() && run <= kMaxFormatRun; ++i)
    run = i > 0 && format[i] == format[i - 1] ? run + 1 : 1;
  return format.size() <= kMaxFormatBytes && run <= kMaxFormatRun;
}

std::optional<std::string> print_date(std::int64_t ms, std::string_view format, const Zone& zone) {
  const std::int64_t zone_ms = zone.offset_at(ms);
  using namespace std::chrono;
  format = format.substr(0, format.find("||"));
  if (format == "epoch_millis") return std::to_string(ms);
  if (format == "epoch_second")
    return ms % 1000 == 0 ? std::to_string(ms / 1000) : schema::text_of(static_cast<double>(ms) / 1000);
  constexpr std::int64_t kMost = 253'402'300'799'999, kMostShown = 8'640'000'000'000'000;  // the years 9999, 275760
  if (ms < -62'167'219'200'000 || ms > kMostShown || format.size() > kMaxFormatBytes) return {};
  // The calendar is the same every 400 years; the library's ends with the year 32767.
  constexpr std::int64_t kCycleMs = 146'097LL * 86'400'000;
  const std::int64_t cycles = ms > kMost ? (ms - kMost) / kCycleMs + 1 : 0;
  const auto local = sys_time<milliseconds>(milliseconds(ms + zone_ms - cycles * kCycleMs));
  const sys_days day = floor<days>(local);
  const year_month_day date(day);
  const hh_mm_ss time(local - day);
  std::string out;
  const auto number = [&](std::int64_t value, std::size_t digits) {
    const std::string text = std::to_string(value);
    if (text.size() < digits) out.append(digits - text.size(), '0');
    out += text;
    return true;
  };
  const auto take = [&](char letter, std::size_t count) {
    switch (letter) {
      case 'y':
      case 'u':
        if (cycles > 0 && count > 2) out += '+';
        return count == 2 ? number(int(date.year()) % 100, 2) : number(int(date.year()) + 400 * cycles, count);
      case 'M':
        return count <= 2 && number(unsigned(date.month()), count);
      case 'd':
        return number(unsigned(date.day()), count);
      case 'H':
        return number(time.hours().count(), count);
      case 'm':
        return number(time.minutes().count(), count);
      case 's':
        return number(time.seconds().count(), count);
      case 'S':
        if (count > 3) return false;
        number(time.subseconds().count(), 3);
        out.resize(out.size() - (3 - count));
        return true;
      case 'X':
      case 'Z':
      case 'x': {
        if (letter == 'X' && zone_ms == 0) {
          out += 'Z';
          return true;
        }
        const std::int64_t minutes = (zone_ms < 0 ? -zone_ms : zone_ms) / kMsMinute;
        out += zone_ms < 0 ? '-' : '+';
        number(minutes / 60, 2);
        if (letter != 'Z' && count == 1 && minutes % 60 == 0) return true;
        if (letter != 'Z' && count == 3) out += ':';
        return number(minutes % 60, 2);
      }
      default:
        return false;
    }
  };
  const std::string_view pattern = is_optional_time(format) ? "yyyy-MM-dd'T'HH:mm:ss.SSSXXX" : pattern_of(format);
  const auto literal = [&](char c) {
    out += c;
    return true;
  };
  if (!walk(pattern, take, literal)) return {};
  return out;
}

}  // namespace frond::elasticsearch
