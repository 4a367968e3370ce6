#include "common/query/facets/time_zone.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/schema/value.h"

namespace frond::query {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

Error corrupt() { return {Code::kCorrupt, "no file of a time zone"}; }

// The text behind the data of a file, such as "CET-1CEST,M3.5.0,M10.5.0/3": what is so every year from then on.
class YearlyRule {
 public:
  // Empty: it is not of this form.
  static std::optional<YearlyRule> read(std::string_view text) {
    YearlyRule rule;
    rule.text_ = text;
    if (!rule.name() || !rule.seconds(rule.standard_)) return {};
    rule.standard_ = -rule.standard_;  // written as what has to be added for UTC
    rule.summer_ = rule.standard_ + 3600;
    if (rule.text_.empty()) return rule;
    rule.has_summer_ = true;
    if (!rule.name()) return {};
    if (!rule.text_.starts_with(',')) {
      if (!rule.seconds(rule.summer_)) return {};
      rule.summer_ = -rule.summer_;
    }
    if (!rule.day(rule.begin_) || !rule.day(rule.end_) || !rule.text_.empty()) return {};
    return rule;
  }
  void add(int year, ZoneRules& to) const {
    if (!has_summer_) return;
    ZoneChange one{(begin_.in(year)-standard_) * kSecond, summer_ * kSecond};
    ZoneChange other{(end_.in(year)-summer_) * kSecond, standard_ * kSecond};
    if (other.at_ms < one.at_ms) std::swap(one, other);
    for (const ZoneChange& change : {one, other})
      if (change.at_ms > to.back().at_ms && change.offset_ms != to.back().offset_ms) to.push_back(change);
  }

 private:
  struct Day {
    char kind = 'M';  // M: month, week, weekday; J: day 1 to 365 without leap days; 0: day 0 to 365
    std::int64_t numbers[3] = {0, 0, 0};
    std::int64_t seconds = 7200;
    // Seconds since 1970 of that year's, as clocks show them.
    std::int64_t in(int number) const {
      using namespace std::chrono;
      const year of{number};
      sys_days date;
      if (kind == 'M') {
        const year_month in_month = of / month(static_cast<unsigned>(numbers[0]));
        const weekday on(static_cast<unsigned>(numbers[2]));
        date = numbers[1] == 5 ? sys_days(in_month / on[last])
                               : sys_days(in_month / on[static_cast<unsigned>(numbers[1])]);
      } else {
        const bool leap_day_before = kind == 'J' && of.is_leap() && numbers[0] >= 60;
        date = sys_days(of / January / 1) + days(numbers[0] - (kind == 'J' ? 1 : 0) + (leap_day_before ? 1 : 0));
      }
      return std::int64_t{date.time_since_epoch().count()} * 86'400 + seconds;
    }
  };

  bool take(char sign) {
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool number(std::int64_t from, std::int64_t to, std::int64_t& value) {
    const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const auto read = number_in<std::int64_t>(text_.substr(0, digits));
    if (digits == 0 || !read || *read < from || *read > to) return false;
    value = *read;
    text_.remove_prefix(digits);
    return true;
  }
  // "CET" or "<+03>".
  bool name() {
    const bool quoted = take('<');
    const std::size_t end = quoted ? text_.find('>') : text_.find_first_of("+-0123456789,");
    const std::size_t length = end == text_.npos ? (quoted ? 0 : text_.size()) : end;
    if (length == 0) return false;
    text_.remove_prefix(length + (quoted ? 1 : 0));
    return true;
  }
  // "-3:30".
  bool seconds(std::int64_t& value) {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t hours = 0, minutes = 0, seconds = 0;
    if (!number(0, 167, hours)) return false;
    if (take(':') && (!number(0, 59, minutes) || (take(':') && !number(0, 59, seconds)))) return false;
    value = (hours * 60 + minutes) * 60 + seconds;
    if (negative) value = -value;
    return true;
  }
  // ",M3.5.0/2".
  bool day(Day& to) {
    if (!take(',')) return false;
    if (take('M')) {
      if (!number(1, 12, to.numbers[0]) || !take('.') || !number(1, 5, to.numbers[1]) || !take('.') ||
          !number(0, 6, to.numbers[2]))
        return false;
    } else {
      to.kind = take('J') ? 'J' : '0';
      if (!number(to.kind == 'J' ? 1 : 0, 365, to.numbers[0])) return false;
    }
    return !take('/') || seconds(to.seconds);
  }

  std::string_view text_;
  std::int64_t standard_ = 0, summer_ = 0;  // seconds ahead of UTC
  bool has_summer_ = false;
  Day begin_, end_;
};

// Big-endian numbers.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<Number>(number);
}

// One of the two parts of a file, with times of 4 bytes, then of 8.
struct Part {
  static constexpr std::size_t kHeader = 44;
  std::size_t utc, standard, leaps, times, types, text;
  static std::optional<Part> read(std::string_view bytes) {
    if (bytes.size() < kHeader || !bytes.starts_with("TZif") || bytes[4] < '2') return {};
    const auto count = [&](std::size_t i) { return std::size_t{number_at<std::uint32_t>(bytes, 20 + 4 * i)}; };
    return Part{count(0), count(1), count(2), count(3), count(4), count(5)};
  }
  // With its header.
  std::size_t bytes(std::size_t time) const {
    return kHeader + times * (time + 1) + types * 6 + text + leaps * (time + 4) + standard + utc;
  }
};

}  // namespace

Result<ZoneRules> read_zone(std::string_view bytes) {
  const auto old = Part::read(bytes);
  if (!old || old->bytes(4) > bytes.size()) return corrupt();
  bytes.remove_prefix(old->bytes(4));
  const auto part = Part::read(bytes);
  if (!part || part->bytes(8) > bytes.size() || part->types == 0 || part->times > kMaxZoneChanges) return corrupt();
  if (part->leaps != 0) return corrupt();  // of a clock that counts them, which dates do not
  const std::size_t numbers = Part::kHeader + part->times * 8, types = numbers + part->times;
  const auto offset_of = [&](std::size_t type) {
    return std::int64_t{number_at<std::int32_t>(bytes, types + type * 6)} * kSecond;
  };
  ZoneRules rules{{kFirst, offset_of(0)}};
  for (std::size_t i = 0; i < part->times; ++i) {
    const auto at = number_at<std::int64_t>(bytes, Part::kHeader + i * 8);
    const auto type = static_cast<unsigned char>(bytes[numbers + i]);
    if (type >= part->types || at > kMaxZoneMs / kSecond) return corrupt();
    if (at < -kMaxZoneMs / kSecond)  // some files begin with a change at the first of all instants
      rules.front().offset_ms = offset_of(type);
    else
      rules.push_back({at * kSecond, offset_of(type)});
  }
  std::string_view text = bytes.substr(part->bytes(8));
  if (text.size() < 2 || text.front() != '\n' || text.back() != '\n') return corrupt();
  text = text.substr(1, text.size() - 2);
  if (!text.empty()) {
    const auto rule = YearlyRule::read(text);
    if (!rule) return corrupt();
    for (int year = 1970; year <= 2100; ++year) rule->add(year, rules);
  }
  if (!are_rules(rules)) return corrupt();
  return rules;
}

bool are_rules(const ZoneRules& rules) {
  const auto is_up_to = [](std::int64_t most, std::int64_t number) { return number >= -most && number <= most; };
  const auto fits = [&](const ZoneChange& one) {
    return is_up_to(kMaxZoneOffsetMs - 1, one.offset_ms) &&
           (&one == &rules.front() ? one.at_ms == kFirst : is_up_to(kMaxZoneMs, one.at_ms));
  };
  return rules.size() <= kMaxZoneChanges && std::ranges::all_of(rules, fits) &&
         std::ranges::adjacent_find(rules, std::greater_equal<>(), &ZoneChange::at_ms) == rules.end();
}

Result<ZoneRules> zone_rules(std::string_view name, const std::filesystem::path& folder) {
  const Error unknown(Code::kInvalid, "there is no time zone " + schema::quote(std::string(name)));
  if (name.size() == 6 && (name[0] == '+' || name[0] == '-') && name[3] == ':') {
    const auto hours = number_in<std::uint32_t>(name.substr(1, 2)), minutes = number_in<std::uint32_t>(name.substr(4));
    if (!hours || !minutes || *hours > 18 || *minutes > 59) return unknown;
    const std::int64_t offset = (std::int64_t{*hours} * 60 + *minutes) * 60 * kSecond;
    return ZoneRules{{kFirst, name[0] == '-' ? -offset : offset}};
  }
  constexpr std::size_t kMaxName = 64, kMaxBytes = 64u << 10;
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
  if (name.empty() || name.size() > kMaxName || name.front() == '/' || name.find_first_not_of(kAllowed) != name.npos)
    return unknown;
  std::error_code failed;
  const std::filesystem::path path = folder / name;
  if (!std::filesystem::is_regular_file(path, failed)) return unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  std::string bytes(failed ? 0 : std::min<std::uintmax_t>(size, kMaxBytes), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  auto rules = read_zone(bytes);
  if (!rules) return Error(Code::kInvalid, path.string() + ": " + rules.error().message());
  return rules;
}

}  // namespace frond::query
