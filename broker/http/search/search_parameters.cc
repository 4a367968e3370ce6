#include "broker/http/search/search_parameters.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "broker/query/planned_query.h"
#include "common/base/text.h"
#include "common/query/json/clause_json.h"
#include "common/schema/json.h"
#include "common/schema/schema.h"
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
  // False: `parsed` has its error.
  bool set_facets(const Parameter& parameter, const schema::Json& json) {
    seen_[&parameter - kParameters] = true;
    auto facets = frond::query::read_facets(json, parameter.name);
    if (facets)
      parsed.parameters.facets = *std::move(facets);
    else
      parsed.error = {std::string(parameter.name), facets.error().message()};
    return facets.has_value();
  }
  // Read when all others are known: `mode` says what words without one have. `json` outlives finish().
  void set_clause(const Parameter& parameter, const schema::Json& json) {
    seen_[&parameter - kParameters] = true;
    clauses_.emplace_back(&parameter, &json);
  }
  ParsedSearch finish() {
    auto& p = parsed.parameters;
    const bool has_query = seen_[find_parameter("query") - kParameters];
    for (const auto& parameter : kParameters)
      if (parameter.required && !seen_[&parameter - kParameters] && !has_query) {
        fail(parameter.name, "is missing");
        return std::move(parsed);
      }
    for (const auto* of_q : {"q", "minimum_should_match"})
      if (has_query && seen_[find_parameter(of_q) - kParameters]) {
        fail(of_q, "has no meaning beside query");
        return std::move(parsed);
      }
    if (p.count && !become_count()) return std::move(parsed);
    if (!check_order()) return std::move(parsed);
    if (!read_clauses()) return std::move(parsed);
    if (p.offset + p.k > kMaxDepth)
      fail("offset", "+ k is " + std::to_string(p.offset + p.k) + ", more than " + std::to_string(kMaxDepth));
    else
      parsed.ok = true;
    return std::move(parsed);
  }
  ParsedSearch parsed;

 private:
  // False: `parsed` has its error.
  bool read_clauses() {
    for (const auto& [parameter, json] : clauses_) {
      auto mode = query::clause_mode(parsed.parameters.mode);
      if (parameter->name == "filter" && mode == frond::query::Mode::kAuto) mode = frond::query::Mode::kAnd;
      auto clause = frond::query::read_clause(*json, parameter->name, mode);
      if (!clause) {
        parsed.error = {std::string(parameter->name), clause.error().message()};
        return false;
      }
      parsed.parameters.*std::get<ClauseValue>(parameter->value).to = *std::move(clause);
    }
    return true;
  }
  // Of the order of hits.
  bool check_order() {
    const auto& p = parsed.parameters;
    const bool continues = seen_[find_parameter("search_after") - kParameters];
    if (!p.sort.empty() && p.rank == wire::Rank::kNone)
      return fail("rank", "none has no meaning beside sort, which says the order of hits");
    if (continues && p.sort.empty()) return fail("search_after", "has no meaning without sort");
    if (continues && p.search_after.empty())
      return fail("search_after", "is empty: the last page has no cursor, and the first one is asked for without");
    if (continues && seen_[find_parameter("offset") - kParameters])
      return fail("offset", "has no meaning beside search_after");
    return true;
  }
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
  std::vector<std::pair<const Parameter*, const schema::Json*>> clauses_;
};

// The text of a JSON member's value, as a query string would have it; none: its type is wrong.
std::optional<std::string> text_of(const Parameter& parameter, const schema::Json& json) {
  const auto takes = [&]<class... Value>(std::type_identity<Value>...) {
    return (std::holds_alternative<Value>(parameter.value) || ...);
  };
  using std::type_identity;
  if (const auto* flag = json.as<bool>(); flag != nullptr && takes(type_identity<FlagValue>()))
    return *flag ? "true" : "false";
  if (const auto* whole = json.as<std::int64_t>();
      whole != nullptr &&
      takes(type_identity<IntegerValue>(), type_identity<RealValue>(), type_identity<MinimumValue>()))
    return std::to_string(*whole);
  if (const auto* number = json.as<double>(); number != nullptr && takes(type_identity<RealValue>()))
    return schema::text_of(*number);
  if (const auto* const list = json.array();
      list != nullptr && takes(type_identity<FieldsValue>(), type_identity<SortValue>())) {
    std::string names;
    for (const schema::Json& name : *list) {
      if (name.as<std::string>() == nullptr) return {};
      names += (names.empty() ? "" : ",") + *name.as<std::string>();
    }
    return names;
  }
  const auto* text = json.as<std::string>();
  if (text == nullptr || takes(type_identity<IntegerValue>(), type_identity<RealValue>(), type_identity<FlagValue>()))
    return {};
  return *text;
}

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
  const auto tree = schema::parse_json(json);
  const auto* const object = tree ? tree->object() : nullptr;
  if (!tree) {  // "fields has two members 'q'": the path of an object, or of the body
    constexpr std::string_view kTwice = "has two members '";
    const std::string& what = tree.error().message();
    const std::size_t at = what.find(kTwice);
    if (at != what.npos && what.starts_with("the JSON ")) {
      const std::string name = what.substr(at + kTwice.size(), what.size() - at - kTwice.size() - 1);
      if (find_parameter(name) != nullptr) {
        builder.fail(name, "is there twice");
        return std::move(builder.parsed);
      }
    }
  }
  if (object == nullptr) {
    builder.fail("", tree ? "the body is not a JSON object" : "the body: " + tree.error().message());
    return std::move(builder.parsed);
  }
  for (const auto& [name, value] : *object) {
    const Parameter* const parameter = find_parameter(name);
    const auto* const clause = parameter != nullptr ? std::get_if<ClauseValue>(&parameter->value) : nullptr;
    if (clause != nullptr && (clause->text == nullptr || value.as<std::string>() == nullptr)) {
      builder.set_clause(*parameter, value);
      continue;
    }
    if (parameter != nullptr && std::holds_alternative<FacetsValue>(parameter->value) && value.object() != nullptr) {
      if (!builder.set_facets(*parameter, value)) return std::move(builder.parsed);
      continue;
    }
    const auto text = parameter != nullptr ? text_of(*parameter, value) : "";
    if (!(text ? builder.set(name, *text) : builder.fail(name, "is of a wrong type"))) return std::move(builder.parsed);
  }
  return builder.finish();
}
}  // namespace

frond::http::Response ParameterError::response() const {
  return frond::http::problem(400, "Bad request", detail, parameter, position);
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
  const auto number = number_in<std::uint32_t>(text);
  if (!number || *number < value.min || *number > value.max)
    return "must be a whole number from " + std::to_string(value.min) + " to " + std::to_string(value.max);
  to.*value.to = *number;
  return {};
}

Problem read(const RealValue& value, std::string_view text, SearchParameters& to) {
  const auto number = number_in<double>(text);
  if (!number || !(*number >= value.min && *number <= value.max))  // false for NaN
    return "must be a number from " + std::to_string(value.min) + " to " + std::to_string(value.max);
  std::visit([&](const auto place) { to.*place = *number + 0.0; }, value.to);  // -0 becomes 0
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

// Whether the schema has the others is found out when it is known which schema that is.
Problem read(const FieldsValue&, std::string_view text, SearchParameters& to) {
  std::uint8_t bits = 0;
  std::vector<std::string_view> names;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(',', begin);
    const auto name = text.substr(begin, end - begin);
    const auto* const choice = std::ranges::find(kFields, name, &Choice<std::uint8_t>::name);
    const bool known = choice != std::end(kFields);
    if ((!known && name != kSource && !schema::is_field_name(name)) || std::ranges::find(names, name) != names.end() ||
        names.size() == wire::kMaxColumns)
      return "must be one or more of id, title, url, snippet, source and fields of the schema, each at most once, "
             "separated by commas";
    names.push_back(name);
    if (known) bits |= choice->value;
  }
  to.fields = bits;
  to.columns.clear();
  for (const auto name : names)
    if (std::ranges::find(kFields, name, &Choice<std::uint8_t>::name) == std::end(kFields))
      to.columns.emplace_back(name);
  std::ranges::sort(to.columns);
  return {};
}

Problem read(const MinimumValue& value, std::string_view text, SearchParameters& to) {
  to.*value.to = frond::query::minimum_match_of(text);
  if (to.*value.to) return {};
  return "must be a whole number, or one from 0 to 100 with %";
}

Problem read(const SortValue&, std::string_view text, SearchParameters& to) {
  auto order = frond::query::parse_sort(text);
  if (!order) return order.error().message();
  to.sort = *std::move(order);
  return {};
}

Problem read(const FacetsValue&, std::string_view text, SearchParameters& to) {
  auto facets = frond::query::parse_facets(text);
  if (!facets) return facets.error().message();
  to.facets = *std::move(facets);
  return {};
}

Problem read(const ClauseValue& value, std::string_view text, SearchParameters& to) {
  if (value.text == nullptr) return "is a member of JSON only";
  return read(TextValue{value.text, query::kMaxQueryBytes}, text, to);
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
