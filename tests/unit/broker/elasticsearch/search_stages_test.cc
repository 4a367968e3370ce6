// What searches in stages are made of: functions of scores, rescores, names of queries, ids of scrolls, patterns.
#include <gtest/gtest.h>

#include "broker/elasticsearch/aggregations/bucket_searches.h"
#include "broker/elasticsearch/hits/function_scores.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/named_queries.h"
#include "broker/elasticsearch/search/search_places.h"
#include "broker/query/base64url.h"

namespace frond::broker::elasticsearch {
namespace {

TEST(ALuceneRegexp, MatchesWholeWords) {
  const auto matches = [](const char* pattern, const char* word, bool folds = false) {
    const auto read = LuceneRegexp::parse(pattern, folds);
    EXPECT_TRUE(read) << pattern;
    return read && read->matches(word);
  };
  EXPECT_TRUE(matches("s.*e", "science"));
  EXPECT_FALSE(matches("s.*e", "sciences"));
  EXPECT_TRUE(matches("A(lge|na).*", "Algebra"));
  EXPECT_TRUE(matches("a{2,3}b?", "aaab"));
  EXPECT_FALSE(matches("a{2,3}b?", "aaaab"));
  EXPECT_TRUE(matches("[^a-c]+@", "dé…"));
  EXPECT_FALSE(matches("[^a-c]+", "dca"));
  EXPECT_TRUE(matches("\"a.b\"\\.", "a.b."));
  EXPECT_TRUE(matches("PHYS.*", "physics", true));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("#", ""));
  for (const char* const wrong : {"a(", "[a", "*a", "a{2", "a{3,2}", "a)", "\\"})
    EXPECT_EQ(LuceneRegexp::parse(wrong).error().status, 400) << wrong;
  EXPECT_EQ(LuceneRegexp::parse("~a").error().status, 501);
  EXPECT_EQ(LuceneRegexp::parse("((a{900}){900}){900}").error().status, 400);
  EXPECT_EQ(LuceneRegexp::parse(std::string(1001, 'a')).error().status, 400);
  EXPECT_EQ(LuceneRegexp::parse(std::string(500, '(')).error().status, 400);
}

struct Scoring {
  Mapping mapping = *read_mapping(
      nullptr, {{"properties", Json::parse(R"({"n":{"type":"long"},"d":{"type":"date"},"k":{"type":"keyword"}})")}});
  Expected<double> of(const char* body, double score, const char* source, std::vector<bool> matched = {true, true}) {
    const auto read = FunctionScores::read(Json::parse(body), 0);
    if (!read) return read.error();
    return read->score(score, Json::parse(source), mapping, matched);
  }
};

TEST(AFunctionScore, IsMadeOfValuesOfDocuments) {
  Scoring scoring;
  const auto of = [&](const char* body, double score, const char* source) {
    const auto made = scoring.of(body, score, source);
    EXPECT_TRUE(made) << body;
    return made ? *made : -1;
  };
  EXPECT_DOUBLE_EQ(of(R"({"field_value_factor":{"field":"n","modifier":"sqrt"},"boost_mode":"sum"})", 2, R"({"n":9})"),
                   5);
  EXPECT_DOUBLE_EQ(
      of(R"({"field_value_factor":{"field":"n","modifier":"square","factor":2},"max_boost":10})", 2, R"({"n":9})"), 20);
  EXPECT_DOUBLE_EQ(
      of(R"({"functions":[{"weight":5},{"weight":2}],"score_mode":"avg","boost_mode":"replace"})", 9, "{}"), 1);
  EXPECT_DOUBLE_EQ(of(R"({"exp":{"n":{"origin":0,"scale":20}}})", 3, R"({"n":[20,40]})"), 1.5);
  EXPECT_DOUBLE_EQ(of(R"({"linear":{"d":{"origin":"1970-01-02","scale":"1d","offset":"0d"}},"boost":2})", 1,
                      R"({"d":"1970-01-03"})"),
                   1);
  EXPECT_NEAR(of(R"({"gauss":{"n":{"origin":50,"scale":10},"multi_value_mode":"max"}})", 1, R"({"n":[50,60]})"), 0.5,
              1e-12);
  EXPECT_DOUBLE_EQ(of(R"({"gauss":{"n":{"origin":50,"scale":10}}})", 3, "{}"), 3);
  EXPECT_DOUBLE_EQ(of(R"({"exp":{"n":{"origin":"0","scale":"20"}}})", 3, R"({"n":20})"), 1.5);
}

TEST(AFunctionScore, ThatCantBeReadIsRefused) {
  Scoring scoring;
  for (const char* const body :
       {R"({"functions":[{}]})", R"({"functions":5})", R"({"field_value_factor":5})", R"({"gauss":{"n":{}}})",
        R"({"gauss":{"n":{"origin":0,"scale":-1}}})", R"({"field_value_factor":{"field":"n"}})",
        R"({"field_value_factor":{"field":"k"}})", R"({"score_mode":"x","weight":1})", R"({"weight":-1})"})
    EXPECT_EQ(scoring.of(body, 1, "{}").error().status, 400) << body;
  EXPECT_EQ(scoring.of(R"({"script_score":{}})", 1, "{}").error().status, 501);
}

TEST(AnOrderByAverages, RoundsAsElasticsearchDoes) {
  Gathered all;
  all.indices.push_back(
      {{.name = "i",
        .mapping = std::make_shared<Mapping>(
            *read_mapping(nullptr, {{"properties", Json::parse(R"({"n":{"type":"long"},"b":{"type":"boolean"}})")}}))},
       {}});
  for (const char* const source :
       {R"({"n":[-2,-3],"b":true})", R"({"n":9007199254740993})", R"({"n":[1,2],"b":false})"})
    all.hits.push_back({.id = "", .source = source, .score = {}});
  SearchAsk ask;
  ask.sort = {{.field = "n", .mode = "avg"}, {.field = "b"}};
  ASSERT_TRUE(order_hits(all, ask));
  EXPECT_EQ(all.hits[0].sort, Json::parse("[-2,1]"));
  EXPECT_EQ(all.hits[1].sort, Json::parse("[2,0]"));
  EXPECT_EQ(all.hits[2].sort, Json::parse("[9007199254740993,2147483647]"));
}

TEST(ARescore, CombinesTwoScores) {
  const auto read = Rescore::read(Json::parse(
      R"({"window_size":20,"query":{"rescore_query":{"match_all":{}},"query_weight":0.5,"rescore_query_weight":2}})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->window, 20u);
  EXPECT_DOUBLE_EQ(read->combined(4, 3), 8);
  EXPECT_DOUBLE_EQ(read->combined(4, {}), 2);
  EXPECT_EQ(Rescore::read(Json::parse(R"({"query":{}})")).error().status, 400);
  EXPECT_EQ(Rescore::read(Json::parse(R"({"window_size":0,"query":{"rescore_query":{}}})")).error().status, 400);
}

TEST(ANamedQuery, LosesItsName) {
  Json query = Json::parse(R"({"bool":{"_name":"all","should":[{"match":{"t":{"query":"a","_name":"one"}}},
      {"term":{"k":"_name"}},{"terms":{"k":["x"],"_name":"two"}}]}})");
  const auto named = take_names(query);
  ASSERT_TRUE(named);
  ASSERT_EQ(named->size(), 3u);
  EXPECT_EQ(query.dump().find("_name\":\""), std::string::npos);
  EXPECT_EQ(named->front().second, Json::parse(R"({"match":{"t":{"query":"a"}}})"));
}

TEST(ANamedQuery, IsOneOfTooManyBeforeAllAreLookedAt) {
  Json clauses = Json::array();
  for (int i = 0; i < 200; ++i) clauses.push_back({{"exists", {{"field", "a"}, {"_name", "x" + std::to_string(i)}}}});
  Json query = {{"bool", {{"should", clauses}}}};
  EXPECT_EQ(take_names(query).error().status, 400);
  EXPECT_EQ(query["bool"]["should"][199], clauses[199]);
  for (Json& one : clauses) one["exists"]["_name"] = "x";
  query = {{"bool", {{"should", clauses}}}};
  EXPECT_EQ(take_names(query)->size(), 1);
}

TEST(APlaceInASearch, IsReadUntilItIsClosed) {
  const SearchPlace place{.number = new_place_number(),
                          .ends_ms = 1000,
                          .expression = "a,b",
                          .generations = {{"a", {3, 7}}},
                          .body = Json::parse(R"({"size":3})"),
                          .parameters = {{"q", "x"}},
                          .scrolled = {{"a", {"c", false, Json::parse(R"({"query":"q"})")}}},
                          .total = 9,
                          .exact = false,
                          .max_score = 2.5};
  const std::string text = place_text(place);
  const auto read = read_place(text, 900);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->generations, place.generations);
  EXPECT_EQ(read->body, place.body);
  EXPECT_EQ(read->parameters, place.parameters);
  EXPECT_EQ(read->scrolled.at("a").cursor, "c");
  EXPECT_EQ(read->scrolled.at("a").read["query"], "q");
  EXPECT_EQ(std::pair(read->total, read->exact), std::pair(std::uint64_t{9}, false));
  EXPECT_EQ(read_place(text, 1001).error().status, 404);
  EXPECT_TRUE(close_place(*read));
  EXPECT_FALSE(close_place(*read));
  EXPECT_EQ(read_place(text, 900).error().status, 404);
  for (const char* const wrong : {"", "x", "****", "e30", "bnVsbA"})
    EXPECT_EQ(read_place(wrong, 0).error().status, 400);
  for (const auto& [name, wrong] : {std::pair("n", Json(1.5)),
                                    {"x", Json(1e300)},
                                    {"t", Json(~std::uint64_t{0} >> 1)},
                                    {"t", Json(-1)},
                                    {"h", Json::array({1e30, true})}}) {
    Json changed = Json::parse(as_text(*broker::query::base64url_bytes(text)));
    changed["n"] = 1;  // the other one is closed
    const auto encoded = [&] { return broker::query::base64url(as_bytes(changed.dump())); };
    EXPECT_TRUE(read_place(encoded(), 900));
    changed[name] = wrong;
    EXPECT_EQ(read_place(encoded(), 900).error().status, 400) << name;
  }
  EXPECT_EQ(*keep_alive("1m", "scroll"), 60'000);
  for (const char* const wrong : {"forever", "25h", "0s"}) EXPECT_EQ(keep_alive(wrong, "scroll").error().status, 400);
}

TEST(AScroll, GoesOnBehindWhatEachIndexHasShown) {
  const auto hit = [](std::size_t index, const char* cursor) {
    Hit made;
    made.index = index;
    made.cursor = cursor;
    return made;
  };
  SearchAsk ask;
  ask.size = 3;
  ask.scrolled = {{"c", {"earlier", false, {}}}};
  // Of the third index nothing is shown, and of the fourth all.
  const std::vector<Hit> hits = {hit(0, "a1"), hit(0, "a2"), hit(3, "d1"), hit(0, "a3"), hit(1, "b1"), hit(2, "c1")};
  const Scrolled next = places_behind(
      ask, hits, {{"a", "a0", "a9", {}}, {"b", "b0", "", {}}, {"c", "c0", "c9", {}}, {"d", "d0", "", {}}});
  EXPECT_EQ(next.at("a").cursor, "a2");
  EXPECT_EQ(next.at("b").cursor, "b0");
  EXPECT_FALSE(next.at("b").over);
  EXPECT_EQ(next.at("c").cursor, "earlier");
  EXPECT_TRUE(next.at("d").over);
}

TEST(ANumber, IsPrintedInAFormatOfDecimals) {
  EXPECT_EQ(print_number(29, "#.0"), "29.0");
  EXPECT_EQ(print_number(1234567.891, "#,##0.0#"), "1,234,567.89");
  EXPECT_EQ(print_number(-0.5, "0.00"), "-0.50");
  EXPECT_EQ(print_number(7, "000"), "007");
  EXPECT_EQ(print_number(7, "yyyy"), std::nullopt);
  EXPECT_EQ(print_number(7, "0%"), std::nullopt);
}

TEST(InnerHits, AreASearchOfTheirOwn) {
  SearchAsk of;
  of.query = Json::parse(R"({"match":{"t":"a"}})");
  const auto made =
      inner_ask(Json::parse(R"({"name":"x","size":2,"sort":["n"]})"), of, {Json::parse(R"({"term":{"k":"v"}})")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->size, 2u);
  EXPECT_EQ(made->query, Json::parse(R"({"bool":{"must":{"match":{"t":"a"}},"filter":[{"term":{"k":"v"}}]}})"));
  EXPECT_EQ(inner_ask(Json::parse(R"({"size":101})"), of, {}).error().status, 400);
  EXPECT_EQ(inner_ask(Json::parse(R"({"aggs":{}})"), of, {}).error().status, 501);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
