#include "broker/http/search_parameters.h"

#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "broker/query/analyzed_query.h"
#include "common/text/analyzer.h"

namespace frond::broker {
namespace {

// One value as it came: text from a query string, or a JSON scalar turned into the text a query string would have.
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
  if (text.size() > kMaxQueryBytes)
    return "is " + std::to_string(text.size()) + " bytes, more than " + std::to_string(kMaxQueryBytes);
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
    {"k", [](std::string_view v, SearchParameters& p) { return read_number(v, 1, kMaxHits, p.k); }},
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

// A JSON scalar as a query string would spell it; nothing for other types, and for a type that the parameter does not
// have.
std::optional<std::string> spelled(std::string_view name, const nlohmann::json& value) {
  const bool number = name == "k" || name == "offset" || name == "timeout_ms";
  const bool flag = name == "explain" || name == "profile" || name == "allow_partial";
  if (value.is_string() && !number && !flag) return value.get<std::string>();
  if (value.is_number_integer() && number) return value.dump();
  if (value.is_boolean() && flag) return value.dump();
  return {};
}
}  // namespace

http::Response ParameterError::response() const { return http::problem(400, "Bad request", detail, parameter); }

ParsedSearch parse_search_query(std::string_view query_string) {
  Builder builder;
  const auto pairs = http::parse_query(query_string);
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
  const auto document = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    builder.fail("", document.is_discarded() ? "the body is not valid JSON" : "the body is not a JSON object");
    return std::move(builder.parsed);
  }
  for (const auto& item : document.items()) {
    const std::string& name = item.key();
    const auto text = spelled(name, item.value());
    const bool known =
        std::any_of(std::begin(kParameters), std::end(kParameters), [&](const auto& p) { return p.name == name; });
    const bool taken = known && !text ? builder.fail(name, "is of a wrong type") : builder.set(name, text.value_or(""));
    if (!taken) return std::move(builder.parsed);
  }
  return builder.finish();
}

}  // namespace frond::broker
