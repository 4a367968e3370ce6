// The JSON form: each clause comes back as it was written; what is wrong is named by its path.
#include "common/query/json/clause_json.h"

#include <gtest/gtest.h>

namespace frond::query {
namespace {

std::string message(std::string_view json) {
  const auto clause = parse_clause(json, "query");
  return clause ? "no error" : clause.error().message();
}

TEST(ClauseJson, ComesBackAsItWasWritten) {
  for (
      const std::string json :
      {R"({"words":{"text":"hard links","mode":"auto"}})",
       R"({"words":{"field":"title","text":"a","mode":"and"}})",
       R"({"term":{"field":"tag","value":"x"}})",
       R"({"term":{"field":"year","value":-9223372036854775808}})",
       R"({"terms":{"field":"price","values":[1,2.5,1e+300,true,"x"]}})",
       R"({"terms":{"field":"tag","values":[]}})",
       R"({"weights":{"field":"v","terms":{"b":1.5,"a":0.00390625,"c":65535.0}}})",
       R"({"phrase":{"field":"title","text":"a b","slop":2,"prefix":true}})",
       R"({"phrase":{"text":"a \"b\" \u0001"}})",
       R"({"prefix":{"value":"wo"}})",
       R"({"wildcard":{"field":"tag","value":"a\\*b*c"}})",
       R"({"range":{"field":"year","gte":1,"lt":2.5}})",
       R"({"range":{"field":"year","gt":"a","lte":"b"}})",
       R"({"range":{"field":"year"}})",
       R"({"exists":{"field":"tag"}})",
       R"({"ids":["a","b"]})",
       R"({"ids":[]})",
       R"({"all":{}})",
       R"({"none":{}})",
       R"({"bool":{}})",
       R"({"bool":{"must":[{"all":{}}],"should":[{"none":{}},{"all":{}}],"must_not":[{"all":{}}],"filter":[{"all":{}}],"minimum_should_match":2}})",
       R"({"bool":{"should":[{"all":{}}],"minimum_should_match":"75%"}})",
       R"({"bool":{"should":[{"all":{}}],"minimum_should_match":"auto"}})",
       R"({"max":{"of":[],"tie_breaker":0.5}})",
       R"({"max":{"of":[{"all":{}}]}})",
       R"({"constant":{"of":{"all":{}},"score":1.5}})",
       R"({"boost":{"of":{"all":{}},"by":2.0}})"}) {
    const auto clause = parse_clause(json, "query");
    ASSERT_TRUE(clause) << json << ": " << clause.error().message();
    EXPECT_EQ(clause_json(*clause), json);
    EXPECT_EQ(parse_clause(clause_json(*clause), "query"), *clause);
  }
}

TEST(ClauseJson, HasTheUsualValuesOfWhatIsLeftOut) {
  EXPECT_EQ(clause_json(*parse_clause(R"({"words":{"text":"a"}})", "query", Mode::kAnd)),
            R"({"words":{"text":"a","mode":"and"}})");
  EXPECT_EQ(clause_json(*parse_clause(R"({"constant":{"of":{"all":{}}}})", "query")),
            R"({"constant":{"of":{"all":{}},"score":1.0}})");
  EXPECT_EQ(clause_json(*parse_clause(R"({"bool":{"minimum_should_match":"3"}})", "query")),
            R"({"bool":{"minimum_should_match":3}})");
}

TEST(ClauseJson, RoundsBoostsAndWeightsToWhatScoresAreMadeOf) {
  EXPECT_EQ(parse_clause(R"({"boost":{"of":{"all":{}},"by":0.3}})", "query")->as<Boost>()->by.units, 77u);
  EXPECT_EQ(
      parse_clause(R"({"weights":{"field":"v","terms":{"a":0.001}}})", "query")->as<Weights>()->tokens[0].weight.units,
      0u);
  EXPECT_EQ(factor_of(0.001953125, 1)->units, 1u);  // halves upwards
  EXPECT_EQ(product({384}, {384}, kMaxBoost).units, 576u);
  EXPECT_EQ(product({25600}, {25600}, kMaxBoost).units, 25600u);
}

TEST(ClauseJson, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(message(R"({"nosuch": {}})"),
            "query has an unknown clause 'nosuch'; the nearest names are none, bool, boost");
  EXPECT_EQ(message(R"({"all": {}, "none": {}})"), "query has 2 members, not one clause: all, none");
  EXPECT_EQ(message("{}"), "query has 0 members, not one clause");
  EXPECT_EQ(message("[]"), "query is an array, not an object with one clause");
  EXPECT_EQ(message("{"), "the text is not JSON at byte 2");
  EXPECT_EQ(message(R"({"words": {"txet": "a"}})"),
            "query.words.txet is not a member here; the nearest names are text, field, mode");
  EXPECT_EQ(message(R"({"words": {}})"), "query.words.text is missing");
  EXPECT_EQ(message(R"({"words": {"text": 1}})"), "query.words.text is a number, not a string");
  EXPECT_EQ(message(R"({"words": {"text": "a", "mode": "all"}})"), "query.words.mode is 'all', not and, or or auto");
  EXPECT_EQ(message(R"({"bool": {"must": [{"all": {}}, {"range": {"field": "y", "gte": []}}]}})"),
            "query.bool.must[1].range.gte is an array, not a value");
  EXPECT_EQ(message(R"({"range": {"field": "y", "gte": 1, "gt": 2}})"), "query.range.gt is there beside gte");
  EXPECT_EQ(message(R"({"bool": {"must": {"all": {}}}})"), "query.bool.must is an object, not an array");
  EXPECT_EQ(message(R"({"bool": {"minimum_should_match": -1}})"),
            "query.bool.minimum_should_match is not a whole number from 0 to 4294967295");
  EXPECT_EQ(message(R"({"bool": {"minimum_should_match": "101%"}})"),
            "query.bool.minimum_should_match is not a whole number, \"N%\" or \"auto\"");
  EXPECT_EQ(message(R"({"boost": {"of": {"all": {}}, "by": 101}})"), "query.boost.by is not a number from 0 to 100");
  EXPECT_EQ(message(R"({"boost": {"of": {"all": {}}}})"), "query.boost.by is missing");
  EXPECT_EQ(message(R"({"constant": {"of": {"some": {}}}})"),
            "query.constant.of has an unknown clause 'some'; the nearest names are none, bool, all");
  EXPECT_EQ(message(R"({"weights": {"field": "v", "terms": {"a": -1}}})"),
            "query.weights.terms.a is not a number from 0 to 65535");
  EXPECT_EQ(message(R"({"ids": ["a", 1]})"), "query.ids[1] is a number, not a string");
  EXPECT_EQ(message(R"({"term": {"field": "t", "value": null}})"), "query.term.value is null, not a value");
  EXPECT_EQ(message(R"({"all": {"x": 1}})"), "query.all.x is not a member here");
  EXPECT_EQ(message(R"({"term": {"field": "t", "field": "u", "value": 1}})"), "term has two members 'field'");
}

TEST(ClauseJson, RefusesMoreThanTheLargestDepth) {
  const auto nested = [](std::size_t boosts) {
    std::string json;
    for (std::size_t i = 0; i < boosts; ++i) json += R"({"boost":{"by":1,"of":)";
    json += R"({"all":{}})";
    for (std::size_t i = 0; i < boosts; ++i) json += "}}";
    return json;
  };
  EXPECT_TRUE(parse_clause(nested(kMaxClauseDepth - 1), "query"));
  EXPECT_NE(message(nested(kMaxClauseDepth)).find("is inside more than 128 clauses"), std::string::npos);
  EXPECT_NE(message(nested(100'000)).find("is nested more than 400 times"), std::string::npos);
}

}  // namespace
}  // namespace frond::query
