// A clause against a schema: values get their types, and what cannot be asked is refused.
#include "common/query/bind.h"

#include <gtest/gtest.h>

#include "common/query/json/clause_json.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

std::string bound(std::string_view json) {
  const auto clause = bind(*parse_clause(json, "query"), support::query_schema(), "query");
  return clause ? clause_json(*clause) : clause.error().message();
}

TEST(Binding, GivesValuesTheTypesOfTheirColumns) {
  EXPECT_EQ(bound(R"({"term":{"field":"year","value":"2010"}})"), R"({"term":{"field":"year","value":2010}})");
  EXPECT_EQ(bound(R"({"term":{"field":"price","value":3}})"), R"({"term":{"field":"price","value":3.0}})");
  EXPECT_EQ(bound(R"({"term":{"field":"open","value":"true"}})"), R"({"term":{"field":"open","value":true}})");
  EXPECT_EQ(bound(R"({"term":{"field":"tag","value":5}})"), R"({"term":{"field":"tag","value":"5"}})");
  EXPECT_EQ(bound(R"({"words":{"field":"tag","text":"Blue Sky"}})"), R"({"term":{"field":"tag","value":"Blue Sky"}})");
  EXPECT_EQ(bound(R"({"term":{"field":"published","value":"1970-01-01T00:00:01.5Z"}})"),
            R"({"term":{"field":"published","value":1500}})");
}

TEST(Binding, TakesAWholePeriodForADateWithoutATime) {
  EXPECT_EQ(bound(R"({"term":{"field":"published","value":"1970"}})"),
            R"({"range":{"field":"published","gte":0,"lte":31535999999}})");
  EXPECT_EQ(bound(R"({"range":{"field":"published","gt":"1970","lte":"1971"}})"),
            R"({"range":{"field":"published","gte":31536000000,"lte":63071999999}})");
  EXPECT_EQ(bound(R"({"range":{"field":"published","gte":"1970-01","lt":"1970-02"}})"),
            R"({"range":{"field":"published","gte":0,"lte":2678399999}})");
  EXPECT_EQ(
      bound(R"({"terms":{"field":"published","values":["1970",0]}})"),
      R"({"bool":{"should":[{"range":{"field":"published","gte":0,"lte":31535999999}},{"term":{"field":"published","value":0}}]}})");
}

TEST(Binding, MakesRangesSimple) {
  EXPECT_EQ(bound(R"({"range":{"field":"year","gt":1,"lt":5}})"), R"({"range":{"field":"year","gte":2,"lte":4}})");
  EXPECT_EQ(bound(R"({"range":{"field":"year","gt":1,"lt":3}})"), R"({"term":{"field":"year","value":2}})");
  EXPECT_EQ(bound(R"({"range":{"field":"year","gt":1,"lt":2}})"), R"({"none":{}})");
  EXPECT_EQ(bound(R"({"range":{"field":"year","gt":9223372036854775807}})"), R"({"none":{}})");
  EXPECT_EQ(bound(R"({"range":{"field":"year"}})"), R"({"exists":{"field":"year"}})");
  EXPECT_EQ(bound(R"({"range":{"field":"price","gt":1,"lt":2}})"), R"({"range":{"field":"price","gt":1.0,"lt":2.0}})");
  EXPECT_EQ(bound(R"({"range":{"field":"price","gte":2,"lt":2}})"), R"({"none":{}})");
}

TEST(Binding, NamesUnknownFieldsWithTheNearestOnes) {
  EXPECT_EQ(bound(R"({"term":{"field":"yaer","value":1}})"),
            "query.term: field 'yaer' is not in the schema; the nearest names are year, lang, open");
  EXPECT_EQ(bound(R"({"bool":{"must":[{"all":{}},{"max":{"of":[{"exists":{"field":"x"}}]}}]}})").substr(0, 55),
            "query.bool.must[1].max.of[0].exists: field 'x' is not i");
}

TEST(Binding, RefusesWhatAFieldCannotBeAskedFor) {
  EXPECT_EQ(bound(R"({"range":{"field":"title","gte":1}})"),
            "query.range: field 'title' is text, weights or boolean, over which there are no ranges");
  EXPECT_EQ(bound(R"({"words":{"field":"body","text":"a"}})"),
            "query.words: field 'body' has no field_search, so plain words only can find it");
  EXPECT_EQ(bound(R"({"phrase":{"field":"note","text":"a b"}})"),
            "query.phrase: field 'note' has no positions, which phrases need");
  EXPECT_EQ(bound(R"({"phrase":{"field":"tag","text":"a b"}})"),
            "query.phrase: field 'tag' is no text field, so it has no phrases");
  EXPECT_EQ(bound(R"({"prefix":{"field":"year","value":"20"}})"),
            "query.prefix: field 'year' is no keyword, and prefixes and wildcards are of strings");
  EXPECT_EQ(bound(R"({"term":{"field":"year","value":"soon"}})"),
            "query.term: field 'year': 'soon' is not an integer of 64 bits");
  EXPECT_EQ(bound(R"({"range":{"field":"published","gte":true}})").substr(0, 55),
            "query.range: field 'published': true is not a date (202");
  EXPECT_EQ(bound(R"({"term":{"field":"title","value":1}})"),
            "query.term: field 'title': 1 is not a term, which is a string");
  EXPECT_EQ(bound(R"({"weights":{"field":"year","terms":{"a":1}}})"),
            "query.weights: field 'year' is integer, not weights or text");
  EXPECT_EQ(bound(R"({"weights":{"field":"body","terms":{"a":1}}})"),
            "query.weights: field 'body' has no field_search, which weights of its terms need");
  EXPECT_EQ(bind({Phrase{"", "a b", 0, false}}, {}, "query"), Code::kInvalid);
}

TEST(Binding, KnowsWhatAddsToScores) {
  const auto scoring = [](std::string_view json) {
    return is_scoring(*parse_clause(json, "query"), support::query_schema());
  };
  EXPECT_TRUE(scoring(R"({"words":{"text":"a"}})"));
  EXPECT_TRUE(scoring(R"({"prefix":{"field":"title","value":"a"}})"));
  EXPECT_TRUE(scoring(R"({"constant":{"of":{"all":{}}}})"));
  EXPECT_FALSE(scoring(R"({"all":{}})"));
  EXPECT_FALSE(scoring(R"({"prefix":{"field":"tag","value":"a"}})"));
  EXPECT_FALSE(scoring(R"({"bool":{"filter":[{"words":{"text":"a"}}]}})"));
}

}  // namespace
}  // namespace frond::query
