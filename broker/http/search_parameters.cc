#include "broker/http/search_parameters.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "broker/query/analyzed_query.h"
#include "common/text/analyzer.h"

namespace frond::broker::http {
namespace {

// One value as it came: text from a query string, or a JSON scalar as a query string would spell it.
using Problem = std::optional<std::string>;  // what is wrong with a value

Problem read_number(std::string_view text, std::uint32_t least, std::uint32_t most, std::uint32_t& to) {
  std::uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  to = value;
  return {};
}

template <class T>
struct Choice {
  std::string_view name;
  T value;
};
template <class T>
Problem read_choice(std::string_view text, std::span<const Choice<T>> choices, T& to) {
  std::string names;
  for (const auto& choice : choices) {
    if (choice.name == text) {
      to = choice.value;
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  return "must be one of " + names;
}

constexpr Choice<wire::Mode> kModes[] = {
    {"and", wire::Mode::kAnd}, {"or", wire::Mode::kOr}, {"auto", wire::Mode::kAuto}};
constexpr Choice<wire::Processor> kProcessors[] = {{"auto", wire::Processor::kAuto},
                                                   {"cpu", wire::Processor::kCpu},
                                                   {"gpu", wire::Processor::kGpu},
                                                   {"exhaustive", wire::Processor::kExhaustive}};
constexpr Choice<bool> kSwitches[] = {{"on", true}, {"off", false}};
constexpr Choice<bool> kFlags[] = {{"true", true}, {"false", false}, {"1", true}, {"0", false}};

Problem read_q(std::string_view text, std::string& to) {
  if (text.size() > query::kMaxQueryBytes)
    return "is " + std::to_string(text.size()) + " bytes, more than " + std::to_string(query::kMaxQueryBytes);
  if (!text::is_utf8(text)) return "is not valid UTF-8";
  to = text;
  return {};
}

struct Parameter {
  std::string_view name;
  Problem (*read)(std::string_view, SearchParameters&);
};
constexpr Parameter kParameters[] = {
    {"q", [](std::string_view v, SearchParameters& p) { return read_q(v, p.q); }},
    {"k", [](std::string_view v, SearchParameters& p) { return read_number(v, 1, kMaxK, p.k); }},
    {"offset", [](std::string_view v, SearchParameters& p) { return read_number(v, 0, kMaxDepth - 1, p.offset); }},
    {"mode", [](std::string_view v, SearchParameters& p) { return read_choice<wire::Mode>(v, kModes, p.mode); }},
    {"timeout_ms", [](std::string_view v, SearchParameters& p) { return read_number(v, 1, 3'600'000, p.timeout_ms); }},
    {"processor",
     [](std::string_view v, SearchParameters& p) { return read_choice<wire::Processor>(v, kProcessors, p.processor); }},
    {"cache", [](std::string_view v, SearchParameters& p) { return read_choice<bool>(v, kSwitches, p.cache); }},
    {"explain", [](std::string_view v, SearchParameters& p) { return read_choice<bool>(v, kFlags, p.explain); }},
    {"profile", [](std::string_view v, SearchParameters& p) { return read_choice<bool>(v, kFlags, p.profile); }},
    {"allow_partial",
     [](std::string_view v, SearchParameters& p) { return read_choice<bool>(v, kFlags, p.allow_partial); }},
};

// Collects parameters one by one, then checks what they are together.
class Builder {
 public:
  // False: `parsed` has its error.
  bool set(std::string_view name, std::string_view value) {
    for (const auto& parameter : kParameters) {
      if (parameter.name != name) continue;
      if (!seen_.insert(parameter.name).second) return fail(name, "is given twice");
      const auto problem = parameter.read(value, parsed.parameters);
      return problem ? fail(name, *problem) : true;
    }
    return fail(name, "is not a parameter of a search");
  }
  static bool knows(std::string_view name) {
    return std::any_of(std::begin(kParameters), std::end(kParameters), [&](const auto& p) { return p.name == name; });
  }
  bool fail(std::string_view name, std::string_view detail) {
    const bool names_itself = !name.empty() && detail.starts_with(std::string(name) + " ");
    parsed.error = {std::string(name), names_itself
                                           ? std::string(detail)
                                           : std::string(name) + (name.empty() ? "" : " ") + std::string(detail)};
    return false;
  }
  ParsedSearch finish() {
    const auto& p = parsed.parameters;
    if (!seen_.contains("q")) {
      fail("q", "is missing");
    } else if (p.offset + p.k > kMaxDepth) {
      fail("offset", "+ k is " + std::to_string(p.offset + p.k) + ", more than " + std::to_string(kMaxDepth));
    } else {
      parsed.ok = true;
    }
    return std::move(parsed);
  }
  ParsedSearch parsed;

 private:
  std::set<std::string_view> seen_;
};

// Takes a JSON object's members as they come, each once: a document would keep the last of several of one name, where
// another reader of the same text may have taken the first. Ends the reading at the first that is wrong.
class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(Builder& builder) : builder_(builder) {}

  bool null() override { return wrong_type(); }
  bool boolean(bool value) override { return is_flag() ? take(value ? "true" : "false") : wrong_type(); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t&) override { return wrong_type(); }
  bool string(string_t& value) override { return is_number() || is_flag() ? wrong_type() : take(value); }
  bool binary(binary_t&) override { return wrong_type(); }  // JSON has none
  bool key(string_t& name) override {
    name_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return std::exchange(inside_, true) ? wrong_type() : true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return wrong_type(); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return builder_.fail("", "the body is not valid JSON");
  }

 private:
  bool is_number() const { return name_ == "k" || name_ == "offset" || name_ == "timeout_ms"; }
  bool is_flag() const { return name_ == "explain" || name_ == "profile" || name_ == "allow_partial"; }
  bool number(const std::string& value) { return is_number() ? take(value) : wrong_type(); }
  bool take(std::string_view value) {
    return inside_ ? builder_.set(name_, value) : builder_.fail("", "the body is not a JSON object");
  }
  bool wrong_type() {
    if (!inside_) return builder_.fail("", "the body is not a JSON object");
    return builder_.knows(name_) ? builder_.fail(name_, "is of a wrong type") : builder_.set(name_, "");
  }

  Builder& builder_;
  bool inside_ = false;
  std::string name_;  // of the member whose value comes next
};
}  // namespace

frond::http::Response ParameterError::response() const {
  return frond::http::problem(400, "Bad request", detail, parameter);
}

ParsedSearch parse_search_query(std::string_view query_string) {
  Builder builder;
  const auto pairs = frond::http::parse_query(query_string);
  if (!pairs) {
    builder.fail("", "the query string: " + pairs.error().message());
    return std::move(builder.parsed);
  }
  for (const auto& [name, value] : *pairs)
    if (!builder.set(name, value)) return std::move(builder.parsed);
  return builder.finish();
}

ParsedSearch parse_search_json(std::string_view json) {
  Builder builder;
  JsonReader reader(builder);
  if (!nlohmann::json::sax_parse(json, &reader)) return std::move(builder.parsed);
  return builder.finish();
}

}  // namespace frond::broker::http
