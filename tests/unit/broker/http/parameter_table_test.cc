// openapi.json describes the parameters as the table has them: names, order, types, ranges, choices and defaults.
#include "broker/http/search_parameters.h"

#include <gtest/gtest.h>

#include <fstream>

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
ordered_json described(const SetValue& value) {
  std::string all, either;
  std::uint8_t bits = 0;
  for (const auto& choice : value.choices) {
    all += (all.empty() ? "" : ",") + std::string(choice.name);
    either += (either.empty() ? "" : "|") + std::string(choice.name);
    bits |= choice.value;
  }
  EXPECT_EQ(bits, SearchParameters().*value.to) << "the default is all of them";
  const std::string no_name_twice = R"((?!.*\b(\w+)\b.*\b\1\b))";
  return {
      {"type", "string"}, {"pattern", "^" + no_name_twice + "(" + either + ")(,(" + either + "))*$"}, {"default", all}};
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfTheQueryString) {
  ASSERT_EQ(query_string().size(), std::size(kParameters));
  for (std::size_t i = 0; i < std::size(kParameters); ++i) {
    EXPECT_EQ(query_string()[i]["name"], kParameters[i].name);
    EXPECT_EQ(query_string()[i].value("required", false), kParameters[i].required) << kParameters[i].name;
  }
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfTheBody) {
  std::vector<std::string> names, required;
  for (const auto& [name, schema] : search_body()["properties"].items()) names.push_back(name);
  std::vector<std::string> own, own_required;
  for (const auto& parameter : kParameters) {
    own.emplace_back(parameter.name);
    if (parameter.required) own_required.emplace_back(parameter.name);
  }
  EXPECT_EQ(names, own);
  EXPECT_EQ(search_body()["required"].get<std::vector<std::string>>(), own_required);
}

TEST_F(TheParameterTable, IsWhatOpenapiJsonSaysOfCounts) {
  std::vector<std::string> own, in_query, in_body;
  for (const auto& parameter : kParameters)
    if (!parameter.of_hits && parameter.name != "count") own.emplace_back(parameter.name);
  const auto& count = api_["paths"]["/v1/count"];
  for (const auto& parameter : count["get"]["parameters"]) in_query.push_back(parameter["name"]);
  const auto& body = resolved(count["post"]["requestBody"]["content"]["application/json"]["schema"]);
  for (const auto& [name, schema] : body["properties"].items()) in_body.push_back(name);
  EXPECT_EQ(in_query, own);
  EXPECT_EQ(in_body, own);
  // Where a search asks for a count, the others are refused.
  for (const auto& parameter : kParameters)
    EXPECT_EQ(search_body()["then"]["properties"].value(std::string(parameter.name), ordered_json()) == false,
              parameter.of_hits)
        << parameter.name;
}

TEST_F(TheParameterTable, HasTheTypesRangesAndDefaultsOfOpenapiJson) {
  for (std::size_t i = 0; i < std::size(kParameters); ++i) {
    SCOPED_TRACE(kParameters[i].name);
    const auto& in_query = query_string()[i]["schema"];
    EXPECT_EQ(in_query, search_body()["properties"][std::string(kParameters[i].name)]);
    ordered_json schema = resolved(in_query);
    schema.erase("description");
    const auto own = std::visit([](const auto& value) { return described(value); }, kParameters[i].value);
    EXPECT_EQ(nlohmann::json(schema), nlohmann::json(own));
  }
}
}  // namespace
}  // namespace frond::broker::http
