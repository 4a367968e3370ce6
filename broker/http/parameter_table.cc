#include "broker/http/parameter_table.h"

#include <charconv>

#include "common/text/utf8.h"

namespace frond::broker::http {
namespace {
using Problem = std::optional<std::string>;  // what is wrong with a value; none: nothing

Problem read(const TextValue& value, std::string_view text, SearchParameters& to) {
  if (text.size() > value.max_bytes)
    return "is " + std::to_string(text.size()) + " bytes, more than " + std::to_string(value.max_bytes);
  if (!text::is_utf8(text)) return "is not valid UTF-8";
  to.*value.to = text;
  return {};
}

Problem read(const IntegerValue& value, std::string_view text, SearchParameters& to) {
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size() || number < value.min ||
      number > value.max)
    return "must be a whole number from " + std::to_string(value.min) + " to " + std::to_string(value.max);
  to.*value.to = number;
  return {};
}

template <class T>
Problem read(const ChoiceValue<T>& value, std::string_view text, SearchParameters& to) {
  std::string names;
  for (const auto& choice : value.choices) {
    if (choice.name == text) {
      to.*value.to = choice.value;
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  return "must be one of " + names;
}

Problem read(const FlagValue& value, std::string_view text, SearchParameters& to) {
  static constexpr Choice<bool> kFlags[] = {{"true", true}, {"false", false}, {"1", true}, {"0", false}};
  return read(ChoiceValue<bool>{value.to, kFlags}, text, to);
}

}  // namespace

const Parameter* find_parameter(std::string_view name) {
  for (const auto& parameter : kParameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

std::optional<std::string> store(const Parameter& parameter, std::string_view text, SearchParameters& to) {
  return std::visit([&](const auto& value) { return read(value, text, to); }, parameter.value);
}

}  // namespace frond::broker::http
