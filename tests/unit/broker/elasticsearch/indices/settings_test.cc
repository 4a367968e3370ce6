#include "broker/elasticsearch/indices/index_settings.h"

#include <gtest/gtest.h>

#include "broker/elasticsearch/cluster/cluster_settings.h"
#include "broker/elasticsearch/filter_path.h"
#include "broker/elasticsearch/yaml.h"
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

TEST(ClusterSettings, AreKeptAndRemovedByName) {
  Json kept = Json::object();
  const auto set = [&](const char* kind, const char* settings) {
    set_cluster_settings(kept, kind, *read_cluster_settings(kind, Json::parse(settings)));
  };
  set("persistent", R"({"action":{"auto_create_index":false,"destructive_requires_name":true}})");
  set("transient", R"({"action.auto_create_index":"+logs-*,-logs"})");
  EXPECT_EQ(kept["settings"]["persistent"]["action.auto_create_index"], "false");
  EXPECT_EQ(kept["settings"]["transient"]["action.auto_create_index"], "+logs-*,-logs");
  EXPECT_TRUE(usual_cluster_settings(kept).empty());
  set("transient", R"({"*":null})");
  set("persistent", R"({"action.auto_*":null})");
  EXPECT_TRUE(cluster_settings(kept, "transient").empty());
  EXPECT_EQ(cluster_settings(kept, "persistent").size(), 1u);
  for (const char* wrong : {R"({"search.max_buckets":10})", R"({"no.such":null})", "[]",
                            R"({"action.auto_create_index":"+"})", R"({"action.auto_create_index":"a,,b"})",
                            R"({"action.auto_create_index":{"a":1}})", R"({"action.destructive_requires_name":false})"})
    EXPECT_FALSE(read_cluster_settings("persistent", Json::parse(wrong))) << wrong;
}
TEST(ClusterSettings, SayWhichIndicesDocumentsMake) {
  const auto reason = [](const Json& list, const char* index) {
    Json kept = {{"settings", {{"persistent", {{"action.auto_create_index", list}}}}},
                 {"index", {{"t", {{"index_patterns", {"made-*"}}, {"allow_auto_create", true}}}}}};
    const auto expected = expect_auto_create(kept, index);
    return expected ? "made" : std::to_string(expected.error().status) + " " + expected.error().reason;
  };
  EXPECT_TRUE(expect_auto_create(Json::object(), "any"));
  EXPECT_EQ(reason("true", "any"), "made");
  EXPECT_EQ(reason("false", "any"), "404 no such index [any] and [action.auto_create_index] is [false]");
  EXPECT_EQ(reason("false", "made-1"), "made") << "its template says so";
  EXPECT_EQ(reason("-ab*,+a*", "ac"), "made");
  EXPECT_EQ(reason("-ab*,+a*", "abc"),
            "404 no such index [abc] and [action.auto_create_index] contains [-ab*] which forbids automatic creation "
            "of the index");
  EXPECT_EQ(reason({"a*", "b*"}, "c"), "404 no such index [c] and [action.auto_create_index] ([a*,b*]) doesn't match");
}
TEST(AnAnswer, IsYamlAsElasticsearchWritesIt) {
  EXPECT_EQ(yaml_of(R"({"took":1,"hits":{"max_score":1.5,"hits":[{"_id":"1","tags":["a","b"]},{"_id":"2","o":{}}]},)"
                    R"("e":[],"resource.id":null,"yes":true,"a b":[[1,2],[]]})"),
            "---\ntook: 1\nhits:\n  max_score: 1.5\n  hits:\n  - _id: \"1\"\n    tags:\n    - \"a\"\n    - \"b\"\n"
            "  - _id: \"2\"\n    o: {}\ne: []\nresource.id: null\n\"yes\": true\n\"a b\":\n- - 1\n  - 2\n- []\n");
  EXPECT_EQ(yaml_of("[]"), "--- []\n");
  EXPECT_EQ(yaml_of("[{\"a\":\"\u00e9\x7f\u0085\\n\"}]"), "---\n- a: \"\u00e9\\x7f\\x85\\n\"\n");
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
