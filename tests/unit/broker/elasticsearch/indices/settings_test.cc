#include "broker/elasticsearch/index_settings.h"

#include <gtest/gtest.h>

#include "broker/elasticsearch/filter_path.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

TEST(Settings, AreTheSameInEachFormThatClientsWrite) {
  const Json shown = {{"index", {{"number_of_shards", "2"}, {"refresh_interval", "1s"}}}};
  for (const char* form : {R"({"number_of_shards":2,"refresh_interval":"1s"})",
                           R"({"index":{"number_of_shards":"2","refresh_interval":"1s"}})",
                           R"({"index.number_of_shards":2,"index":{"refresh_interval":"1s"}})"})
    EXPECT_EQ(nested(*read_settings(Json::parse(form))), shown) << form;
}
TEST(Settings, AreRefusedWhereTheyAreUnknownOrOutOfRange) {
  for (const char* wrong : {R"({"nosuch":1})", R"({"number_of_shards":0})", R"({"number_of_replicas":-1})",
                            R"({"number_of_shards":"many"})", "[]"})
    EXPECT_FALSE(read_settings(Json::parse(wrong))) << wrong;
  EXPECT_FALSE(expect_dynamic(*read_settings({{"number_of_shards", 2}}), "i"));
  EXPECT_TRUE(expect_dynamic(*read_settings({{"refresh_interval", nullptr}}), "i"));
}

std::string fault(std::string_view text) {
  const auto json = parse_json(text);
  return json ? "none" : json.error().type;
}
TEST(ABody, IsRefusedIfItIsNoJsonOrRepeatsNames) {
  EXPECT_EQ(fault(R"({"a":{"b":1},"b":[{"a":1},{"a":2}]})"), "none");
  for (const char* broken : {R"({"a":1,"a":2})", R"({"x":{"a":1,"a":2}})", R"({} x)", "not", R"({'a':1})"})
    EXPECT_EQ(fault(broken), "json_parse_exception") << broken;
  EXPECT_EQ(fault(R"({"a":)"), "json_e_o_f_exception");
  EXPECT_EQ(fault(std::string(kMaxNesting, '[') + std::string(kMaxNesting, ']')), "none");
  EXPECT_EQ(fault(std::string(100'000, '[')), "json_parse_exception");
}
TEST(AFilterPath, SelectsAndExcludes) {
  const auto filtered = [](std::string_view paths) {
    return formed(R"({"took":1,"hits":{"total":2,"hits":[{"_id":"1","_score":1.5},{"_id":"2"}]}})", paths, false);
  };
  EXPECT_EQ(filtered("took"), R"({"took":1})");
  EXPECT_EQ(filtered("hits.hits._id"), R"({"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}})");
  EXPECT_EQ(filtered("**._score"), R"({"hits":{"hits":[{"_score":1.5}]}})");
  EXPECT_EQ(filtered("-hits"), R"({"took":1})");
  EXPECT_EQ(filtered("nosuch"), "{}");
}

}  // namespace
}  // namespace frond::broker::elasticsearch
