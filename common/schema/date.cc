#include "common/schema/date.h"

#include <chrono>
#include <cstdio>

#include "common/base/text.h"
#include "common/text/utf8.h"

namespace frond::schema {
namespace {

constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

// Reads a text from its front.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Exactly so many digits, of a number from `min` to `max`.
  bool number(std::size_t digits, int min, int max, int& value) {
    if (text_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!text::is_ascii_digit(text_[i])) return false;
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return value >= min && value <= max;
  }
  // One or more digits behind the point.
  bool milliseconds(int& value) {
    int digits = 0;
    value = 0;
    for (; !text_.empty() && text::is_ascii_digit(text_.front()); text_.remove_prefix(1))
      if (digits++ < 3) value = value * 10 + (text_.front() - '0');
    for (int i = digits; i < 3; ++i) value *= 10;
    return digits > 0;
  }
  // Z, +01:00, -0530 or nothing.
  bool offset(std::int64_t& ms) {
    ms = 0;
    if (at_end() || take("Zz")) return at_end();
    const bool behind = text_.front() == '-';
    int hours = 0, minutes = 0;
    if (!take("+-") || !number(2, 0, 23, hours)) return false;
    take(":");
    if (!number(2, 0, 59, minutes)) return false;
    ms = (hours * kHour + minutes * kMinute) * (behind ? -1 : 1);
    return at_end();
  }

 private:
  std::string_view text_;
};

DatePeriod days(std::chrono::sys_days first, std::chrono::sys_days end) {
  return {first.time_since_epoch().count() * kDay, end.time_since_epoch().count() * kDay - 1};
}

// What follows the day: the time.
std::optional<DatePeriod> time_of_day(DateReader& reader, std::int64_t day_ms) {
  int hour = 0, minute = 0, second = 0, ms = 0;
  std::int64_t offset = 0, length = kMinute;
  if (!reader.take("Tt ") || !reader.number(2, 0, 23, hour) || !reader.take(":") || !reader.number(2, 0, 59, minute))
    return {};
  if (reader.take(":")) {
    if (!reader.number(2, 0, 60, second)) return {};
    length = kSecond;
    if (reader.take(".,")) {
      if (!reader.milliseconds(ms)) return {};
      length = 1;
    }
  }
  if (!reader.offset(offset)) return {};
  const std::int64_t first = day_ms + hour * kHour + minute * kMinute + second * kSecond + ms - offset;
  return DatePeriod{first, first + length - 1};
}

std::optional<DatePeriod> calendar_date(std::string_view text) {
  using namespace std::chrono;
  DateReader reader(text);
  int y = 0, m = 0, d = 0;
  if (!reader.number(4, 0, 9999, y)) return {};
  if (reader.at_end()) return days(sys_days(year(y) / 1 / 1), sys_days(year(y + 1) / 1 / 1));
  if (!reader.take("-") || !reader.number(2, 1, 12, m)) return {};
  const year_month whole_month = year(y) / month(static_cast<unsigned>(m));
  if (reader.at_end()) return days(sys_days(whole_month / 1), sys_days((whole_month + months(1)) / 1));
  if (!reader.take("-") || !reader.number(2, 1, 31, d)) return {};
  const year_month_day date = whole_month / day(static_cast<unsigned>(d));
  if (!date.ok()) return {};
  const sys_days first(date);
  if (reader.at_end()) return days(first, first + std::chrono::days(1));
  return time_of_day(reader, first.time_since_epoch().count() * kDay);
}

std::optional<DatePeriod> milliseconds(std::string_view text) {
  const auto ms = number_in<std::int64_t>(text);
  return ms ? std::optional(DatePeriod{*ms, *ms}) : std::nullopt;
}

}  // namespace

std::optional<DatePeriod> parse_date(std::string_view text) {
  if (const auto date = calendar_date(text)) return date;
  return milliseconds(text);
}

std::string date_text(std::int64_t ms) {
  using namespace std::chrono;
  constexpr std::int64_t kFirst = -62167219200000;  // 0000-01-01
  constexpr std::int64_t kLast = 253402300799999;   // 9999-12-31
  if (ms < kFirst || ms > kLast) return std::to_string(ms);
  const auto day_number = floor<std::chrono::days>(sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms)));
  const year_month_day date(day_number);
  const std::int64_t rest = ms - day_number.time_since_epoch().count() * kDay;
  char buffer[64];
  int length = std::snprintf(buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                             static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                             static_cast<int>(rest / kHour), static_cast<int>(rest / kMinute % 60),
                             static_cast<int>(rest / kSecond % 60));
  std::string text(buffer, static_cast<std::size_t>(length));
  if (rest % kSecond != 0) {
    length = std::snprintf(buffer, sizeof buffer, ".%03d", static_cast<int>(rest % kSecond));
    text.append(buffer, static_cast<std::size_t>(length));
  }
  return text + "Z";
}

}  // namespace frond::schema
