// Values of a document's members as its fields have them.
#include <algorithm>
#include <array>
#include <cmath>

#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"

namespace frond::elasticsearch {
namespace {

using Found = std::optional<schema::Value>;

Expected<Found> whole(Type type, double number) {
  constexpr std::array<double, 4> kEnds = {9223372036854775808.0, 2147483648.0, 32768.0, 128.0};
  const double end = kEnds[static_cast<std::size_t>(type) - static_cast<std::size_t>(Type::kLong)],
               cut = std::trunc(number);
  if (!(cut >= -end && cut < end))
    return illegal_argument("Value [" + schema::text_of(number) + "] is out of range for a " +
                            std::string(name_of(type)));
  return Found(static_cast<std::int64_t>(cut));
}

Expected<Found> number_of(Type type, const Json& json) {
  double number = 0;
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > 0x7fffffffffffffff)) {
    if (type == Type::kLong) return Found(json.get<std::int64_t>());
    number = static_cast<double>(json.get<std::int64_t>());
  } else if (json.is_number()) {
    number = json;
  } else if (json.is_string()) {
    std::string_view digits = json.get_ref<const std::string&>();
    if (digits.empty()) return Found();
    if (digits.starts_with('+')) digits.remove_prefix(1);
    if (const auto integer = type == Type::kLong ? number_in<std::int64_t>(digits) : std::nullopt)
      return Found(*integer);
    const auto read = number_in<double>(digits);
    if (!read)
      return ApiError{.type = "number_format_exception",
                      .reason = "For input string: \"" + json.get<std::string>().substr(0, 200) + "\""};
    number = *read;
  } else {
    return illegal_argument("the value is not numeric");
  }
  if (is_whole(type)) return whole(type, number);
  if (type == Type::kFloat) number = as_float(number);
  if (!std::isfinite(number))
    return illegal_argument("[" + std::string(name_of(type)) + "] supports only finite values");
  return Found(number + 0.0);
}

Expected<Found> date_of(const MappedField& field, const Json& json) {
  if (!json.is_string() && !json.is_number()) return illegal_argument("the value is not a date");
  const std::string text = text_in(json);
  const auto ms = parse_date(text, field.format, {});
  if (!ms)
    return illegal_argument("failed to parse date field [" + text.substr(0, 200) + "] with format [" + field.format +
                            "]");
  return Found(*ms);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
}

}  // namespace

bool is_ignored(const MappedField& field, std::string_view word) {
  return field.type == Type::kKeyword && word.size() > field.ignore_above && characters(word) > field.ignore_above;
}
bool is_ignored(const MappedField& field, const schema::Value& value) {
  const auto* const word = std::get_if<std::string>(&value);
  return word != nullptr && is_ignored(field, std::string_view(*word));
}

double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

Expected<Found> value_of(const MappedField& field, const Json& json) {
  if (json.is_structured())
    return illegal_argument("Can't get text on a START_" + std::string(json.is_array() ? "ARRAY" : "OBJECT"));
  if (json.is_null()) {
    if (field.null_value.is_null()) return Found();
    return value_of(field, field.null_value);
  }
  switch (field.type) {
    case Type::kText:
    case Type::kKeyword:
      return Found(text_in(json));
    case Type::kBoolean: {
      if (json.is_boolean()) return Found(json.get<bool>());
      const std::string text = text_in(json);
      if (json.is_string() && (text == "true" || text == "false" || text.empty())) return Found(text == "true");
      return illegal_argument("Failed to parse value [" + text.substr(0, 200) +
                              "] as only [true] or [false] are allowed.");
    }
    case Type::kDate:
      return date_of(field, json);
    case Type::kCompletion:
      return illegal_argument("[" + field.name + "] is of the type [completion], which has no values");
    default:
      return number_of(field.type, json);
  }
}

}  // namespace frond::elasticsearch
