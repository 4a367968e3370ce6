#include "broker/http/search_parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/text/json_surrogates.h"
#include "common/text/utf8.h"

namespace frond::broker::http {
namespace {

// Collects parameters one by one, then checks them together.
class Builder {
 public:
  // `counts`: /v1/count.
  explicit Builder(bool counts) : counts_(counts) { parsed.parameters.count = counts; }
  // False: `parsed` has its error.
  bool set(std::string_view name, std::string_view value) {
    const Parameter* const parameter = find_parameter(name);
    if (parameter == nullptr) return fail(name, "is not a parameter of a search");
    if (counts_ && name == "count") return fail(name, "is not a parameter of this route");
    if (std::exchange(seen_[parameter - kParameters], true)) return fail(name, "is given twice");
    const auto problem = store(*parameter, value, parsed.parameters);
    return problem ? fail(name, *problem) : true;
  }
  bool fail(std::string_view name, std::string_view detail) {
    parsed.error = {std::string(name), std::string(name) + (name.empty() ? "" : " ") + std::string(detail)};
    return false;
  }
  ParsedSearch finish() {
    auto& p = parsed.parameters;
    for (const auto& parameter : kParameters)
      if (parameter.required && !seen_[&parameter - kParameters]) {
        fail(parameter.name, "is missing");
        return std::move(parsed);
      }
    if (p.count && !become_count()) return std::move(parsed);
    if (p.offset + p.k > kMaxDepth)
      fail("offset", "+ k is " + std::to_string(p.offset + p.k) + ", more than " + std::to_string(kMaxDepth));
    else
      parsed.ok = true;
    return std::move(parsed);
  }
  ParsedSearch parsed;

 private:
  // False: `parsed` has its error.
  bool become_count() {
    auto& p = parsed.parameters;
    for (const auto& parameter : kParameters)
      if (parameter.of_hits && seen_[&parameter - kParameters])
        return fail(parameter.name, "is not a parameter of a count, which has no hits");
    if (p.mode == wire::Mode::kAuto) {
      if (seen_[find_parameter("mode") - kParameters]) return fail("mode", "must be one of and, or for a count");
      p.mode = wire::Mode::kAnd;
    }
    p.k = p.offset = 0;
    p.rank = wire::Rank::kNone;
    p.fields = 0;
    return true;
  }

  const bool counts_;
  std::array<bool, std::size(kParameters)> seen_{};
};

// Takes a JSON object's members one by one. A parsed document would keep only the last of several members of one name,
// where another reader of the same text may take the first; here that is an error. Stops at the first error.
class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(Builder& builder) : builder_(builder) {}

  bool null() override { return wrong_type(); }
  bool boolean(bool value) override { return takes<FlagValue>() ? take(value ? "true" : "false") : wrong_type(); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override {
    return takes<RealValue>() ? take(text) : wrong_type();
  }
  bool string(string_t& value) override {
    return takes<IntegerValue>() || takes<RealValue>() || takes<FlagValue>() ? wrong_type() : take(value);
  }
  bool binary(binary_t&) override { return wrong_type(); }  // JSON has none
  bool key(string_t& name) override {
    name_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return std::exchange(inside_, true) ? wrong_type() : true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return wrong_type(); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 406;  // a number larger than any double, which is JSON
    if (error.id == kOutOfRange) return builder_.fail(name_, "is a number out of range");
    return builder_.fail("", "the body is not valid JSON");
  }

 private:
  template <class Value>
  bool takes() const {
    const Parameter* const parameter = find_parameter(name_);
    return parameter != nullptr && std::holds_alternative<Value>(parameter->value);
  }
  bool number(const std::string& value) {
    return takes<IntegerValue>() || takes<RealValue>() ? take(value) : wrong_type();
  }
  bool take(std::string_view value) {
    return inside_ ? builder_.set(name_, value) : builder_.fail("", "the body is not a JSON object");
  }
  bool wrong_type() {
    if (!inside_) return builder_.fail("", "the body is not a JSON object");
    return find_parameter(name_) != nullptr ? builder_.fail(name_, "is of a wrong type") : builder_.set(name_, "");
  }

  Builder& builder_;
  bool inside_ = false;
  std::string name_;  // of the member whose value comes next
};

ParsedSearch parse_query(std::string_view query_string, bool counts) {
  Builder builder(counts);
  const auto pairs = frond::http::parse_query(query_string);
  if (!pairs) {
    builder.fail("", "the query string: " + pairs.error().message());
    return std::move(builder.parsed);
  }
  for (const auto& [name, value] : *pairs)
    if (!builder.set(name, value)) return std::move(builder.parsed);
  return builder.finish();
}

ParsedSearch parse_json(std::string_view json, bool counts) {
  Builder builder(counts);
  JsonReader reader(builder);
  if (!nlohmann::json::sax_parse(text::with_whole_surrogates(json), &reader)) return std::move(builder.parsed);
  return builder.finish();
}
}  // namespace

frond::http::Response ParameterError::response() const {
  return frond::http::problem(400, "Bad request", detail, parameter);
}

ParsedSearch parse_search_query(std::string_view query_string) { return parse_query(query_string, false); }
ParsedSearch parse_search_json(std::string_view json) { return parse_json(json, false); }
ParsedSearch parse_count_query(std::string_view query_string) { return parse_query(query_string, true); }
ParsedSearch parse_count_json(std::string_view json) { return parse_json(json, true); }

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
