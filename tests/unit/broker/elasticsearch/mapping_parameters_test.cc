// What becomes of each parameter of fields, and that the manual has the same table.
#include "common/elasticsearch/mapping_parameters.h"
#include "broker/elasticsearch/error.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace frond::broker::elasticsearch {
namespace {

std::string cell(std::string_view values) {
  if (values.empty()) return "refused";
  if (values == "*") return "ignored";
  std::string out = "ignored if ";
  std::istringstream words{std::string(values)};
  for (std::string word; words >> word;) out += (out.ends_with("if ") ? "`" : " or `") + word + "`";
  return out;
}

TEST(TheManual, SaysWhatBecomesOfEachParameterOfFields) {
  std::ifstream in("docs/elasticsearch-api.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  for (const MappingParameter& one : kMappingParameters) {
    const std::string row = "| `" + std::string(one.name) + "` | " + cell(one.of_text) + " | " + cell(one.of_keyword) +
                            " | " + cell(one.of_others) + " |";
    EXPECT_TRUE(lines.contains(row)) << row;
  }
}

int status_of(const char* field) {
  const auto mapping = read_mapping(nullptr, {{"properties", {{"a", Json::parse(field)}}}}, Origin::kRequest);
  return mapping ? 200 : mapping.error().status;
}
TEST(AParameterOfAField, IsRefusedByNameWhereItWouldChangeAnswers) {
  EXPECT_EQ(status_of(R"({"type":"text","norms":true,"index_options":"offsets","position_increment_gap":100})"), 200);
  EXPECT_EQ(status_of(R"({"type":"keyword","norms":false,"store":true,"meta":{"unit":"ms"}})"), 200);
  EXPECT_EQ(status_of(R"({"type":"long","coerce":true,"ignore_malformed":false})"), 200);
  for (const char* field :
       {R"({"type":"text","norms":false})", R"({"type":"keyword","norms":true})", R"({"type":"text","fielddata":true})",
        R"({"type":"text","index_options":"docs"})", R"({"type":"text","position_increment_gap":0})",
        R"({"type":"text","similarity":"boolean"})", R"({"type":"keyword","normalizer":"lowercase"})",
        R"({"type":"keyword","split_queries_on_whitespace":true})", R"({"type":"long","coerce":false})",
        R"({"type":"long","ignore_malformed":true})", R"({"type":"date","doc_values":false})",
        R"({"type":"text","copy_to":"b"})", R"({"type":"nested"})", R"({"type":"ip"})",
        R"({"type":"text","search_quote_analyzer":"english"})"})
    EXPECT_EQ(status_of(field), 501) << field;
  EXPECT_EQ(status_of(R"({"type":"text","nosuch":1})"), 400);
  // Together they say that only terms count.
  EXPECT_EQ(status_of(R"({"type":"text","norms":false,"index_options":"docs","fielddata":true})"), 200);
}

TEST(AParameterOfAField, StaysWhereItIsKept) {
  const Json kept = Json::parse(R"({"properties":{"o":{"properties":{"a":{"type":"text","norms":false,
      "fields":{"k":{"type":"keyword","index_options":"freqs"}}}}}}})");
  const auto mapping = read_mapping(nullptr, kept);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->shown, kept);
  EXPECT_TRUE(extended(*mapping, kept));
  EXPECT_TRUE(extended(*mapping, Json::parse(R"({"properties":{"b":{"type":"text"}}})")));
  for (const char* changed : {R"({"properties":{"b":{"type":"text","norms":false}}})",
                              R"({"properties":{"o":{"properties":{"a":{"type":"text","fielddata":true}}}}})"})
    EXPECT_FALSE(extended(*mapping, Json::parse(changed))) << changed;
}

}  // namespace
}  // namespace frond::broker::elasticsearch
