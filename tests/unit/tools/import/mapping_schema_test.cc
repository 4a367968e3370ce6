#include "tools/import/mapping_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace frond::tools {
namespace {
using nlohmann::json;

std::string index_of(const json& properties, const json& more = json::object()) {
  json mappings = {{"properties", properties}};
  mappings.update(more);
  return json({{"books", {{"mappings", mappings}}}}).dump();
}

TEST(AMapping, BecomesASchema) {
  const auto read =
      read_mapping(index_of({{"title",
                              {{"type", "text"},
                               {"analyzer", "english"},
                               {"fields", {{"raw", {{"type", "keyword"}, {"ignore_above", 9}}}}}}},
                             {"author", {{"properties", {{"born", {{"type", "date"}, {"format", "epoch_second"}}}}}}},
                             {"@timestamp", {{"type", "date"}}},
                             {"id", {{"type", "long"}}},
                             {"text", {{"type", "keyword"}}},
                             {"kept", {{"type", "object"}, {"enabled", false}}},
                             {"price", {{"type", "scaled_float"}, {"scaling_factor", 100}}}}),
                   false);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->index, "books");
  const json settings = json::parse(read->settings);
  EXPECT_EQ(settings["stemmer"], "porter");
  EXPECT_EQ(settings["schema"]["fields"],
            json({{"title", {{"type", "text"}, {"positions", true}, {"field_search", true}}},
                  {"title.raw", {{"type", "keyword"}, {"many", true}}},
                  {"author.born", {{"type", "date"}, {"many", true}}},
                  {"f.-40timestamp", {{"type", "date"}, {"many", true}}},
                  {"f.id", {{"type", "integer"}, {"many", true}}},
                  {"f.text", {{"type", "keyword"}, {"many", true}}},
                  {"price", {{"type", "float"}, {"many", true}}}}));
  const auto raw = std::ranges::find(read->fields, "title.raw", &elasticsearch::MappedField::column);
  ASSERT_NE(raw, read->fields.end());
  EXPECT_EQ(raw->path, "title");
  EXPECT_EQ(raw->ignore_above, 9u);
  EXPECT_EQ(std::ranges::find(read->fields, "author.born", &elasticsearch::MappedField::column)->format,
            "epoch_second");
}
TEST(AMapping, ThatHasWhatIsNotThereIsRefusedByNameUnlessThatIsSkipped) {
  const std::string index = index_of({{"a", {{"type", "text"}}},
                                      {"g", {{"type", "geo_point"}}},
                                      {"d", {{"type", "date"}, {"format", "epoch_millis||basic_week_date"}}},
                                      {"t", {{"type", "text"}, {"analyzer", "english"}}}},
                                     {{"runtime", {{"r", {{"type", "long"}}}}}});
  const auto refused = read_mapping(index, false);
  ASSERT_FALSE(refused);
  for (const char* name :
       {"g (type [geo_point]", "d (format basic_week_date)", "t (analyzer english beside another)", "r (runtime)"})
    EXPECT_NE(refused.error().message().find(name), std::string::npos) << refused.error().message();
  const auto skipped = read_mapping(index, true);
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->fields.size(), 1u);
  EXPECT_EQ(skipped->skipped.size(), 4u);
}
TEST(AMapping, NamesMembersThatWouldChangeWhatIsFound) {
  const std::string index =
      index_of({{"c", {{"type", "keyword"}, {"copy_to", "all"}}},
                {"n", {{"type", "long"}, {"null_value", 0}}},
                {"e", {{"type", "date"}, {"format", "dd/MM/yyyy"}}},
                {"k", {{"type", "keyword"}, {"normalizer", "lower"}}},
                {"s", {{"type", "text"}, {"search_analyzer", "english"}}},
                {"same", {{"type", "text"}, {"search_analyzer", "standard"}, {"norms", false}, {"store", true}}},
                {"d", {{"type", "date"}, {"format", "epoch_millis||epoch_second"}}}});
  const auto refused = read_mapping(index, false);
  ASSERT_FALSE(refused);
  for (const char* name : {"c ([copy_to]", "k ([normalizer]", "s ([search_analyzer]"})
    EXPECT_NE(refused.error().message().find(name), std::string::npos) << refused.error().message();
  const auto skipped = read_mapping(index, true);
  ASSERT_TRUE(skipped);
  std::vector<std::string> names;
  for (const auto& field : skipped->fields) names.push_back(field.name);
  EXPECT_EQ(names, (std::vector<std::string>{"d", "e", "n", "same"}));
}
TEST(AMapping, HasMultiFieldsOfFieldsThatItHasNot) {
  const auto read = read_mapping(
      index_of({{"t", {{"type", "text"}, {"analyzer", "thai"}, {"fields", {{"raw", {{"type", "keyword"}}}}}}}}), true);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->skipped.size(), 1u);
  ASSERT_EQ(read->fields.size(), 1u);
  EXPECT_EQ(read->fields[0].name, "t.raw");
  EXPECT_EQ(read->fields[0].path, "t");
}
TEST(AMapping, NamesTextWhoseAnalyzerTheSettingsDefine) {
  json index = json::parse(index_of({{"t", {{"type", "text"}}}, {"n", {{"type", "long"}}}}));
  for (const char* name : {"default", "standard", "default_search"}) {
    index["books"]["settings"] = {{"index", {{"analysis", {{"analyzer", {{name, {{"type", "simple"}}}}}}}}}};
    const auto refused = read_mapping(index.dump(), false);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message().find("t ("), std::string::npos) << name;
  }
  index["books"]["settings"] = {{"index", {{"analysis", {{"analyzer", {{"other", {{"type", "simple"}}}}}}}}}};
  EXPECT_TRUE(read_mapping(index.dump(), false));
}
TEST(AMapping, IsThatOfOneIndexWithItsSources) {
  EXPECT_EQ(read_mapping(R"({"a":{"mappings":{}},"b":{"mappings":{}}})", true), Code::kInvalid);
  EXPECT_EQ(read_mapping(index_of(json::object(), {{"_source", {{"enabled", false}}}}), true), Code::kInvalid);
  for (const char* broken : {"", "[]", "{}", R"({"a":1})", R"({"a":{"mappings":1}})",
                             R"({"a":{"mappings":{"properties":1}}})", R"({"a":{"mappings":{"properties":{"x":1}}}})"})
    EXPECT_FALSE(read_mapping(broken, true)) << broken;
  std::string deep = R"({"type":"long"})";
  for (int i = 0; i < 30; ++i) deep = R"({"properties":{"x":)" + deep + "}}";
  EXPECT_FALSE(read_mapping(R"({"a":{"mappings":{"properties":{"x":)" + deep + "}}}}", true));
}

}  // namespace
}  // namespace frond::tools
