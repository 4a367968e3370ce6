#include "broker/http/parameter_table.h"

#include <algorithm>
#include <charconv>
#include <vector>

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

Problem read(const RealValue& value, std::string_view text, SearchParameters& to) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size() ||
      !(number >= value.min && number <= value.max))  // false for NaN
    return "must be a number from " + std::to_string(value.min) + " to " + std::to_string(value.max);
  std::visit([&](const auto place) { to.*place = number + 0.0; }, value.to);  // -0 becomes 0
  return {};
}

template <class T>
std::string names_of(std::span<const Choice<T>> choices) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : ", ") + std::string(choice.name);
  return names;
}

template <class T>
Problem read(const ChoiceValue<T>& value, std::string_view text, SearchParameters& to) {
  const auto choice = std::ranges::find(value.choices, text, &Choice<T>::name);
  if (choice == value.choices.end()) return "must be one of " + names_of(value.choices);
  to.*value.to = choice->value;
  return {};
}

Problem read(const FlagValue& value, std::string_view text, SearchParameters& to) {
  static constexpr Choice<bool> kFlags[] = {{"true", true}, {"false", false}, {"1", true}, {"0", false}};
  return read(ChoiceValue<bool>{value.to, kFlags}, text, to);
}

Problem read(const SetValue& value, std::string_view text, SearchParameters& to) {
  std::uint8_t bits = 0;
  std::vector<bool> seen(value.choices.size());
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(',', begin);
    const auto name = text.substr(begin, end - begin);
    const auto choice = std::ranges::find(value.choices, name, &Choice<std::uint8_t>::name);
    const auto place = static_cast<std::size_t>(choice - value.choices.begin());
    if (choice == value.choices.end() || seen[place])
      return "must be one or more of " + names_of(value.choices) + ", each at most once, separated by commas";
    seen[place] = true;
    bits |= choice->value;
  }
  to.*value.to = bits;
  return {};
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
