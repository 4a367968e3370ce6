// Templates: what new indices are made from.
#include "broker/elasticsearch/indices/templates.h"

#include <gtest/gtest.h>

namespace frond::broker::elasticsearch {
namespace {

Json kept_with(std::initializer_list<std::tuple<TemplateKind, const char*, const char*>> all) {
  Json kept = Json::object();
  for (const auto& [kind, name, body] : all) {
    auto made = template_of(kind, name, Json::parse(body), kept);
    EXPECT_TRUE(made) << name << ": " << (made ? "" : made.error().reason);
    if (made) kept[std::string(member_of(kind))][name] = *std::move(made);
  }
  return kept;
}

TEST(ATemplate, IsTheBaseOfIndicesThatItsPatternMatches) {
  const Json kept = kept_with({{TemplateKind::kComponent, "small",
                                R"({"template":{"settings":{"number_of_replicas":0,"number_of_shards":3}}})"},
                               {TemplateKind::kIndex, "logs",
                                R"({"index_patterns":["logs-*"],"priority":5,"composed_of":["small"],
            "template":{"mappings":{"properties":{"m":{"type":"text"},"n":{"type":"long"}}},"aliases":{"all":{}}}})"},
                               {TemplateKind::kIndex, "rest",
                                R"({"index_patterns":"*","template":{"settings":{"index.number_of_shards":7}}})"}});
  const auto made = with_templates(
      kept, "logs-1",
      {{"settings", {{"number_of_shards", 2}}}, {"mappings", {{"properties", {{"n", {{"type", "keyword"}}}}}}}});
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)["settings"], Json::parse(R"({"index":{"number_of_replicas":"0","number_of_shards":"2"}})"));
  EXPECT_EQ((*made)["mappings"], Json::parse(R"({"properties":{"m":{"type":"text"},"n":{"type":"keyword"}}})"));
  EXPECT_TRUE((*made)["aliases"].contains("all"));
  EXPECT_EQ((*with_templates(kept, "other", Json::object()))["settings"]["index"]["number_of_shards"], "7");
}

TEST(ATemplate, OfTheOldKindIsMergedWithOthersByOrder) {
  const Json kept = kept_with(
      {{TemplateKind::kLegacy, "b", R"({"index_patterns":["a*"],"order":2,"settings":{"number_of_shards":2}})"},
       {TemplateKind::kLegacy, "a",
        R"({"index_patterns":["ab*"],"order":1,"settings":{"number_of_shards":1,"number_of_replicas":0}})"}});
  const auto made = with_templates(kept, "abc", Json::object());
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)["settings"]["index"], Json::parse(R"({"number_of_shards":"2","number_of_replicas":"0"})"));
  EXPECT_EQ(kept["legacy"]["a"]["mappings"], Json::object()) << "as it is shown";
}

TEST(ATemplate, IsRefusedWhereItIsWrong) {
  const Json kept = kept_with({{TemplateKind::kIndex, "one", R"({"index_patterns":["a*b"],"priority":1})"}});
  const auto refused = [&](TemplateKind kind, const char* body) {
    const auto made = template_of(kind, "two", Json::parse(body), kept);
    return made ? 0 : made.error().status;
  };
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["*b"],"priority":1})"), 400) << "both match";
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["*b"],"priority":2})"), 0);
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["c*"],"priority":1})"), 0);
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["x"],"composed_of":["none"]})"), 400);
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["x"],"data_stream":{}})"), 501);
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"index_patterns":["x"],"nosuch":1})"), 400);
  EXPECT_EQ(refused(TemplateKind::kIndex, R"({"template":{}})"), 400);
  const Json long_ones = {{"index_patterns", std::vector<std::string>(17, std::string(250, 'a'))}};
  EXPECT_EQ(refused(TemplateKind::kIndex, long_ones.dump().c_str()), 400) << "more than 4 KiB";
  EXPECT_EQ(refused(TemplateKind::kLegacy, R"({"index_patterns":[1]})"), 400);
  EXPECT_EQ(refused(TemplateKind::kLegacy, R"({"index_patterns":["x"],"mappings":{"properties":{"a":{"type":"x"}}}})"),
            400);
  EXPECT_EQ(refused(TemplateKind::kComponent, R"({"template":{"settings":{"nosuch":1}}})"), 400);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
