// openapi.json describes the parameters as the table has them: names, order, types, ranges, choices and defaults.
// http-api.md has a row for each, and the search page goes as deep as the API.
#include "broker/http/search/search_parameters.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

namespace frond::broker::http {
namespace {
using nlohmann::ordered_json;

class TheParameterTable : public testing::Test {
 protected:
  const ordered_json& resolved(const ordered_json& schema) const {
    return schema.contains("$ref") ? api_.at(ordered_json::json_pointer(schema["$ref"].get<std::string>().substr(1)))
                                   : schema;
  }
  const ordered_json& search_body() const { return api_["components"]["schemas"]["Search"]; }
  const ordered_json& query_string() const { return api_["paths"]["/v1/search"]["get"]["parameters"]; }

  const ordered_json api_ = ordered_json::parse(std::ifstream("broker/web/static/openapi.json"));
};

// What openapi.json should say of a row; a null default: the broker's own.
ordered_json described(const TextValue& value) { return {{"type", "string"}, {"maxLength", value.max_bytes}}; }
ordered_json described(const IntegerValue& value) {
  ordered_json out = {{"type", "integer"}, {"minimum", value.min}, {"maximum", value.max}};
  if (SearchParameters().*value.to != 0 || value.min == 0) out["default"] = SearchParameters().*value.to;
  return out;
}
ordered_json described(const RealValue& value) {
  ordered_json out = {{"type", "number"}, {"minimum", value.min}, {"maximum", value.max}};
  if (const auto* const usual = std::get_if<double SearchParameters::*>(&value.to))
    out["default"] = SearchParameters().**usual;
  return out;  // otherwise the default is the collection's
}
template <class T>
ordered_json described(const ChoiceValue<T>& value) {
  ordered_json out = {{"enum", ordered_json::array()}};
  for (const auto& choice : value.choices) out["enum"].push_back(choice.name);
  for (const auto& choice : value.choices)
    if (choice.value == SearchParameters().*value.to) out["default"] = choice.name;
  return out;
}
ordered_json described(const FlagValue& value) {
  return {{"type", "boolean"}, {"default", SearchParameters().*value.to}};
}
ordered_json described(const FieldsValue&) {
  std::string all;
  std::uint8_t bits = 0;
  for (const auto& choice : kFields) {
    all += (all.empty() ? "" : ",") + std::string(choice.name);
    bits |= choice.value;
  }
  EXPECT_EQ(bits, SearchParameters().fields) << "the default is all of them";
  const std::string name = "[A-Za-z][A-Za-z0-9_.-]*";
  const std::string no_name_twice = R"((?!(?:.*,)?([^,]+),(?:.*,)?\1(?:,|$)))";
  return {{"type", "string"}, {"pattern", "^" + no_name_twice + name + "(," + name + ")*$"}, {"default", all}};
}
ordered_json described(const MinimumValue&) {
  return {{"type", {"string", "integer"}}, {"pattern", "^([0-9]{1,9}|([0-9]|[1-9][0-9]|100)%)$"}, {"minimum", 0}};
}
ordered_json described(const SortValue&) {
  const std::string key = "(_score|_order|[A-Za-z][A-Za-z0-9_.-]*)(:(asc|desc))?(:(first|last))?";
  const std::string more = std::to_string(frond::query::kMaxSortKeys - 1);
  return {{"type", "string"}, {"pattern", "^ *" + key + " *(, *" + key + " *){0," + more + "}$"}};
}
ordered_json described(const FacetsValue&) { return {{"type", "string"}, {"minLength", 1}}; }
ordered_json described(const ClauseValue&) { return {{"type", "string"}, {"maxLength", query::kMaxQueryBytes}}; }

bool is_of_json_only(const Parameter& parameter) {
  const auto* const clause = std::get_if<ClauseValue>(&parameter.value);
  return clause != nullptr && clause->text == nullptr;
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfTheQueryString) {
  std::size_t i = 0;
  for (const auto& parameter : kParameters) {
    if (is_of_json_only(parameter)) continue;
    ASSERT_LT(i, query_string().size());
    EXPECT_EQ(query_string()[i]["name"], parameter.name);
    EXPECT_EQ(query_string()[i++].value("required", false), parameter.required) << parameter.name;
  }
  EXPECT_EQ(i, query_string().size());
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfTheBody) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : search_body()["properties"].items()) names.push_back(name);
  std::vector<std::string> own;
  for (const auto& parameter : kParameters) own.emplace_back(parameter.name);
  EXPECT_EQ(names, own);
  EXPECT_EQ(search_body()["oneOf"].dump(), R"([{"required":["q"]},{"required":["query"]}])");
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfCounts) {
  std::vector<std::string> own, own_in_query, in_query, in_body;
  for (const auto& parameter : kParameters) {
    if (parameter.of_hits || parameter.name == "count") continue;
    own.emplace_back(parameter.name);
    if (!is_of_json_only(parameter)) own_in_query.emplace_back(parameter.name);
  }
  const auto& count = api_["paths"]["/v1/count"];
  for (const auto& parameter : count["get"]["parameters"]) in_query.push_back(parameter["name"]);
  const auto& body = resolved(count["post"]["requestBody"]["content"]["application/json"]["schema"]);
  for (const auto& [name, schema] : body["properties"].items()) in_body.push_back(name);
  EXPECT_EQ(in_query, own_in_query);
  EXPECT_EQ(in_body, own);
  // Where a search asks for a count, the others are refused.
  for (const auto& parameter : kParameters)
    EXPECT_EQ(search_body()["then"]["properties"].value(std::string(parameter.name), ordered_json()) == false,
              parameter.of_hits)
        << parameter.name;
}

TEST_F(TheParameterTable, HasTheTypesRangesAndDefaultsOfOpenapiJson) {
  std::size_t i = 0;
  for (const auto& parameter : kParameters) {
    if (is_of_json_only(parameter)) continue;
    SCOPED_TRACE(parameter.name);
    const auto& in_query = query_string()[i++]["schema"];
    // A text in both, and in JSON also something else.
    const bool two_forms = std::holds_alternative<ClauseValue>(parameter.value) ||
                           std::holds_alternative<SortValue>(parameter.value) ||
                           std::holds_alternative<FacetsValue>(parameter.value);
    if (!two_forms) {
      EXPECT_EQ(in_query, search_body()["properties"][std::string(parameter.name)]);
    }
    ordered_json schema = resolved(in_query);
    schema.erase("description");
    schema.erase("examples");
    const auto own = std::visit([](const auto& value) { return described(value); }, parameter.value);
    EXPECT_EQ(nlohmann::json(schema), nlohmann::json(own));
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST_F(TheParameterTable, HasTheRowsOfHttpApiMd) {
  std::istringstream page(text_of("docs/http-api.md"));
  std::string line;
  while (std::getline(page, line) && !line.starts_with("| parameter |")) continue;
  std::multiset<std::string> described, own;
  while (std::getline(page, line) && line.starts_with("|")) {
    // "| `k1`, `b` | numbers …"
    std::istringstream names(line.substr(2, line.find(" |", 2) - 2));
    for (std::string name; std::getline(names, name, '`') && std::getline(names, name, '`');) described.insert(name);
  }
  for (const auto& parameter : kParameters) own.emplace(parameter.name);
  EXPECT_EQ(described, own);
}

TEST_F(TheParameterTable, GoesAsDeepAsTheSearchPage) {
  EXPECT_NE(text_of("broker/web/static/state.js").find("const kMaxDepth = " + std::to_string(kMaxDepth) + ";"),
            std::string::npos);
}
}  // namespace
}  // namespace frond::broker::http
