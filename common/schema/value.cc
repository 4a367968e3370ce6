#include "common/schema/value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/schema/date.h"
#include "common/text/utf8.h"

namespace frond::schema {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

template <class Number>
std::optional<Number> whole_number_text(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  return number_in<Number>(text);
}

std::optional<Value> integer_of(const Value& raw, Reading reading) {
  if (std::holds_alternative<std::int64_t>(raw)) return raw;
  if (reading == Reading::kStrict) return {};
  if (const auto* text = std::get_if<std::string>(&raw)) {
    const auto number = whole_number_text<std::int64_t>(*text);
    return number ? std::optional<Value>(*number) : std::nullopt;
  }
  const auto* number = std::get_if<double>(&raw);
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (number == nullptr || std::trunc(*number) != *number || *number < -kEnd || *number >= kEnd) return {};
  return static_cast<std::int64_t>(*number);
}

std::optional<Value> float_of(const Value& raw, Reading reading) {
  std::optional<double> number;
  if (const auto* whole = std::get_if<std::int64_t>(&raw)) number = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&raw)) number = *real;
  if (const auto* text = std::get_if<std::string>(&raw); text != nullptr && reading == Reading::kLenient)
    number = whole_number_text<double>(*text);
  if (!number || !std::isfinite(*number)) return {};
  return *number + 0.0;  // -0 becomes 0
}

std::optional<Value> boolean_of(const Value& raw, Reading reading) {
  if (std::holds_alternative<bool>(raw)) return raw;
  const auto* text = std::get_if<std::string>(&raw);
  if (reading == Reading::kStrict || text == nullptr) return {};
  if (*text == "true") return true;
  if (*text == "false") return false;
  return {};
}

std::optional<Value> keyword_of(const Value& raw, Reading reading) {
  if (std::holds_alternative<std::string>(raw)) return raw;
  if (reading == Reading::kStrict) return {};
  if (const auto* flag = std::get_if<bool>(&raw)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&raw)) return std::to_string(*whole);
  return text_of(std::get<double>(raw));
}

std::optional<Interval> date_of(const Value& raw) {
  if (std::holds_alternative<std::int64_t>(raw)) return Interval{raw, raw};
  const auto* text = std::get_if<std::string>(&raw);
  const auto period = text == nullptr ? std::nullopt : parse_date(*text);
  if (!period) return {};
  return Interval{period->first_ms, period->last_ms};
}

std::optional<Value> one_value(FieldType type, const Value& raw, Reading reading) {
  switch (type) {
    case FieldType::kInteger:
      return integer_of(raw, reading);
    case FieldType::kFloat:
      return float_of(raw, reading);
    case FieldType::kBoolean:
      return boolean_of(raw, reading);
    case FieldType::kKeyword:
      return keyword_of(raw, reading);
    case FieldType::kDate:
    case FieldType::kText:
    case FieldType::kWeights:
      break;
  }
  return {};
}

constexpr std::string_view wanted(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return "an integer of 64 bits";
    case FieldType::kFloat:
      return "a finite number";
    case FieldType::kDate:
      return "a date (2020-12-31, 2020-12-31T23:59:59Z, 2020-12, 2020 or milliseconds since 1970)";
    case FieldType::kBoolean:
      return "true or false";
    case FieldType::kKeyword:
    case FieldType::kText:
    case FieldType::kWeights:
      break;
  }
  return "a string";
}

}  // namespace

Result<Interval> interval_of(FieldType type, const Value& raw, Reading reading) {
  FROND_CHECK(is_column(type));
  std::optional<Interval> found;
  if (type == FieldType::kDate)
    found = date_of(raw);
  else if (auto one = one_value(type, raw, reading))
    found = Interval{*one, *one};
  if (!found) return Error(Code::kInvalid, quote(raw) + " is not " + std::string(wanted(type)));
  if (const auto* text = std::get_if<std::string>(&found->first); text != nullptr && text->size() > kMaxKeywordBytes)
    return Error(Code::kInvalid, quote(raw) + " has " + std::to_string(text->size()) +
                                     " bytes, and a keyword at most " + std::to_string(kMaxKeywordBytes));
  return *std::move(found);
}

Result<Value> typed_value(FieldType type, const Value& raw, Reading reading) {
  return FROND_TRY(interval_of(type, raw, reading)).first;
}

std::uint64_t ordering_key(FieldType type, const Value& value) {
  FROND_CHECK(is_column(type));
  if (type == FieldType::kBoolean) return std::get<bool>(value) ? 1 : 0;
  if (type == FieldType::kFloat) {
    const auto bits = std::bit_cast<std::uint64_t>(std::get<double>(value) + 0.0);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
  if (type != FieldType::kKeyword) return static_cast<std::uint64_t>(std::get<std::int64_t>(value)) ^ kSign;
  const auto& text = std::get<std::string>(value);
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return key;
}

Value value_of_key(FieldType type, std::uint64_t key) {
  FROND_CHECK(is_column(type) && type != FieldType::kKeyword);
  if (type == FieldType::kBoolean) return key != 0;
  if (type == FieldType::kFloat) return std::bit_cast<double>((key & kSign) != 0 ? key ^ kSign : ~key);
  return static_cast<std::int64_t>(key ^ kSign);
}

std::string text_of(double number) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), number).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string text_of(FieldType type, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return text_of(*number);
  const auto whole = std::get<std::int64_t>(value);
  return type == FieldType::kDate ? date_text(whole) : std::to_string(whole);
}

std::string quote(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr) return text_of(FieldType::kInteger, value);
  constexpr std::size_t kShown = 70;
  if (text->size() <= kShown) return "'" + *text + "'";
  return "'" + text->substr(0, text::utf8_boundary(*text, kShown)) + "…'";
}

}  // namespace frond::schema
