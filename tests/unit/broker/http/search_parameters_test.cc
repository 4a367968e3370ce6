#include "broker/http/search/search_parameters.h"

#include <cmath>

#include <gtest/gtest.h>

#include "common/query/json/clause_json.h"

namespace frond::broker::http {
namespace {

TEST(SearchParameters, HaveTheContractsDefaults) {
  const auto parsed = parse_search_query("q=red+fox");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  SearchParameters expected;
  expected.q = "red fox";
  EXPECT_EQ(parsed.parameters, expected);
}

TEST(SearchParameters, AreTheSameFromAQueryStringAndFromJson) {
  const auto query = parse_search_query(
      "q=fox&k=7&offset=20&mode=and&timeout_ms=50&processor=cpu&cache=off&explain=true&profile=1&allow_partial=false&"
      "fields=title,id");
  const auto json = parse_search_json(
      R"({"q":"fox","k":7,"offset":20,"mode":"and","timeout_ms":50,"processor":"cpu","cache":"off","explain":true,"profile":true,"allow_partial":false,"fields":"title,id"})");
  ASSERT_TRUE(query.ok) << query.error.detail;
  ASSERT_TRUE(json.ok) << json.error.detail;
  EXPECT_EQ(query.parameters, json.parameters);
  EXPECT_EQ(query.parameters.k, 7u);
  EXPECT_FALSE(query.parameters.cache);
  EXPECT_EQ(query.parameters.fields, wire::kFieldTitle);
}

TEST(SearchParameters, HaveFieldsInAnyOrder) {
  const std::pair<std::string, int> cases[] = {{"id", 0},
                                               {"title", wire::kFieldTitle},
                                               {"url,id", wire::kFieldUrl},
                                               {"snippet,title", wire::kFieldTitle | wire::kFieldSnippet},
                                               {"snippet,url,id,title", wire::kAllFields}};
  for (const auto& [names, fields] : cases) {
    const auto parsed = parse_search_query("q=a&fields=" + names);
    ASSERT_TRUE(parsed.ok) << parsed.error.detail;
    EXPECT_EQ(parsed.parameters.fields, fields) << names;
  }
}
TEST(SearchParameters, RefuseUnknownRepeatedAndEmptyFields) {
  for (const std::string names :
       {"", ",", "id,", ",id", "id,,url", "9", "id, url", "title title", "id,id", "title,year,title", "id;url"}) {
    for (const auto& parsed :
         {parse_search_query("q=a&fields=" + names), parse_search_json(R"({"q":"a","fields":")" + names + "\"}")}) {
      EXPECT_FALSE(parsed.ok) << names;
      EXPECT_EQ(parsed.error.parameter, "fields") << names;
      EXPECT_EQ(parsed.error.detail,
                "fields must be one or more of id, title, url, snippet, source and fields of the schema, each at most "
                "once, separated by commas");
    }
  }
}
TEST(SearchParameters, NameColumnsAmongTheFields) {
  const auto parsed = parse_search_query("q=a&fields=year,title,source,tag");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  EXPECT_EQ(parsed.parameters.fields, wire::kFieldTitle);
  EXPECT_EQ(parsed.parameters.columns, (std::vector<std::string>{"source", "tag", "year"}));
}

TEST(SearchParameters, HaveAQueryAsAClauseInPlaceOfQ) {
  const auto parsed = parse_search_json(
      R"({"query":{"words":{"text":"red fox"}},"filter":{"term":{"field":"year","value":2010}},"mode":"and","total":"exact","cache":"off"})");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  ASSERT_TRUE(parsed.parameters.query && parsed.parameters.filter_clause);
  EXPECT_EQ(frond::query::clause_json(*parsed.parameters.query), R"({"words":{"text":"red fox","mode":"and"}})");
  EXPECT_TRUE(parsed.parameters.exact_total);
  EXPECT_EQ(parse_search_json(R"({"q":"a","filter":"year:2010"})").parameters.filter, "year:2010");
  const std::pair<std::string, std::string> wrong[] = {
      {R"({"query":{"all":{}},"q":"x"})", "q"},
      {R"({"query":{"all":{}},"minimum_should_match":1})", "minimum_should_match"},
      {R"({"query":{"nosuch":{}}})", "query"},
      {R"({"query":{"all":{},"none":{}}})", "query"},
      {R"({"query":"fox"})", "query"},
      {R"({"query":null})", "query"},
      {R"({"q":"a","filter":[]})", "filter"},
      {R"({"filter":{"all":{}}})", "q"}};
  for (const auto& [json, parameter] : wrong) {
    const auto refused = parse_search_json(json);
    EXPECT_FALSE(refused.ok) << json;
    EXPECT_EQ(refused.error.parameter, parameter) << json << refused.error.detail;
  }
  EXPECT_EQ(parse_search_json(R"({"query":{"bool":{"must":[{"words":{}}]}}})").error.detail.substr(0, 24),
            "query.bool.must[0].words");
  EXPECT_EQ(parse_search_query("query=x").error.detail, "query is a member of JSON only");
}

TEST(SearchParameters, SayHowTheQueryIsRead) {
  const auto parsed = parse_search_query("q=a+b+c&syntax=strict&minimum_should_match=75%25&filter=year:2010");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  EXPECT_EQ(parsed.parameters.syntax, frond::query::Syntax::kStrict);
  EXPECT_EQ(parsed.parameters.minimum_should_match, frond::query::minimum_match_of("75%"));
  EXPECT_EQ(parsed.parameters.filter, "year:2010");
  EXPECT_EQ(parse_search_json(R"({"q":"a","minimum_should_match":2})").parameters.minimum_should_match,
            frond::query::minimum_match_of("2"));
  EXPECT_EQ(parse_search_query("q=a&minimum_should_match=101%25").error.parameter, "minimum_should_match");
  EXPECT_EQ(parse_search_query("q=a&syntax=lucene").error.detail, "syntax must be one of query, strict, plain");
  EXPECT_TRUE(parse_count_query("q=a&filter=year:2010&syntax=plain").ok);
  EXPECT_EQ(parse_count_query("q=a&total=exact").error.parameter, "total");
}

TEST(SearchParameters, SayTheOrderAndTheFacets) {
  const auto texts = parse_search_query("q=a&sort=year:desc:first,_score&search_after=abc&facets=tag:3,price:stats");
  ASSERT_TRUE(texts.ok) << texts.error.detail;
  EXPECT_EQ(sort_text(texts.parameters.sort), "year:desc:first,_score:desc");
  EXPECT_EQ(texts.parameters.search_after, "abc");
  const auto json = parse_search_json(
      R"({"q":"a","sort":["year:desc:first","_score"],"search_after":"abc","facets":{"tag":{"values":{"field":"tag","size":3}},"price":{"stats":{"field":"price"}}}})");
  ASSERT_TRUE(json.ok) << json.error.detail;
  EXPECT_EQ(json.parameters, texts.parameters);
  EXPECT_EQ(parse_search_json(R"({"q":"a","sort":"year","facets":"tag"})").parameters.facets.size(), 1u);
  const std::tuple<std::string, std::string, std::string> wrong[] = {
      {R"({"q":"a","sort":"year:up"})", "sort",
       "sort key 'year:up' has 'up', where asc or desc and then first or last can be"},
      {R"({"q":"a","sort":[1]})", "sort", "sort is of a wrong type"},
      {R"({"q":"a","sort":{}})", "sort", "sort is of a wrong type"},
      {R"({"q":"a","facets":[]})", "facets", "facets is of a wrong type"},
      {R"({"q":"a","facets":"tag,tag"})", "facets",
       "facets 'tag' is there twice; as a JSON object, facets have names of their own"},
      {R"({"q":"a","facets":{"t":{"values":{}}}})", "facets", "facets.t.values.field is missing"},
      {R"({"q":"a","search_after":"x"})", "search_after", "search_after has no meaning without sort"},
      {R"({"q":"a","sort":"year","search_after":""})", "search_after",
       "search_after is empty: the last page has no cursor, and the first one is asked for without"},
      {R"({"q":"a","sort":"year","search_after":"x","offset":0})", "offset",
       "offset has no meaning beside search_after"},
      {R"({"q":"a","sort":"year","rank":"none"})", "rank",
       "rank none has no meaning beside sort, which says the order of hits"},
      {R"({"q":"a","sort":"year","count":true})", "sort", "sort is not a parameter of a count, which has no hits"}};
  for (const auto& [text, parameter, detail] : wrong) {
    const auto refused = parse_search_json(text);
    EXPECT_FALSE(refused.ok) << text;
    EXPECT_EQ(refused.error.parameter, parameter) << text;
    EXPECT_EQ(refused.error.detail, detail) << text;
  }
}

TEST(SearchParameters, OfACountAreThoseThatAreNotOfHits) {
  const ParsedSearch all[] = {parse_count_query("q=fox&mode=or&explain=1"),
                              parse_count_json(R"({"q":"fox","mode":"or","explain":true})"),
                              parse_search_query("q=fox&mode=or&explain=1&count=true"),
                              parse_search_json(R"({"q":"fox","mode":"or","explain":true,"count":true})")};
  for (const auto& parsed : all) {
    ASSERT_TRUE(parsed.ok) << parsed.error.detail;
    EXPECT_TRUE(parsed.parameters.count);
    EXPECT_EQ(parsed.parameters.rank, wire::Rank::kNone);
    EXPECT_EQ(parsed.parameters.k, 0u);
    EXPECT_EQ(parsed.parameters.fields, 0);
    EXPECT_EQ(parsed.parameters, all[0].parameters);
  }
  EXPECT_EQ(parse_count_query("q=fox").parameters.mode, wire::Mode::kAnd);
  EXPECT_FALSE(parse_search_query("q=fox&count=false").parameters.count);
  for (const std::string wrong : {"k=3", "offset=1", "rank=none", "fields=id", "mode=auto"}) {
    const std::string name = wrong.substr(0, wrong.find('='));
    for (const auto& parsed : {parse_count_query("q=fox&" + wrong), parse_search_query("count=1&q=fox&" + wrong),
                               parse_search_query("q=fox&" + wrong + "&count=true")}) {
      EXPECT_FALSE(parsed.ok) << wrong;
      EXPECT_EQ(parsed.error.parameter, name) << parsed.error.detail;
    }
  }
  EXPECT_EQ(parse_count_query("q=fox&count=true").error.detail, "count is not a parameter of this route");
}
TEST(SearchParameters, AskForNoRanking) {
  const auto parsed = parse_search_query("q=fox&rank=none");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  EXPECT_EQ(parsed.parameters.rank, wire::Rank::kNone);
  EXPECT_EQ(parsed.parameters.k, 10u);
  EXPECT_EQ(parse_search_query("q=fox&rank=date").error.detail, "rank must be one of score, none");
}

TEST(SearchParameters, HaveK1AndBOfASearch) {
  EXPECT_FALSE(parse_search_query("q=fox").parameters.k1.has_value());
  const auto parsed = parse_search_query("q=fox&k1=1.2&b=7.5e-1");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  EXPECT_EQ(parsed.parameters.k1, 1.2);
  EXPECT_EQ(parsed.parameters.b, 0.75);
  EXPECT_EQ(parse_search_json(R"({"q":"fox","k1":1.2,"b":0.75})").parameters, parsed.parameters);
  EXPECT_EQ(parse_search_json(R"({"q":"fox","k1":4,"b":0})").parameters.k1, 4.0);
  for (const std::string limits : {"k1=0&b=0", "k1=4&b=1", "k1=-0&b=1e0"})
    EXPECT_TRUE(parse_search_query("q=fox&" + limits).ok) << limits;
  EXPECT_FALSE(std::signbit(*parse_search_query("q=fox&k1=-0").parameters.k1));
  for (const std::string wrong : {"", "x", "4.01", "-0.01", "nan", "inf", "1e400", "1,2", "0x1p0", " 1", "1 ", "+1"})
    EXPECT_EQ(parse_search_query("q=fox&k1=" + wrong).error.detail, "k1 must be a number from 0 to 4") << wrong;
  EXPECT_EQ(parse_search_query("q=fox&b=1.0001").error.detail, "b must be a number from 0 to 1");
  EXPECT_EQ(parse_search_json(R"({"q":"fox","b":-1})").error.detail, "b must be a number from 0 to 1");
  EXPECT_EQ(parse_search_json(R"({"q":"fox","b":"0.5"})").error.detail, "b is of a wrong type");
  EXPECT_EQ(parse_search_json(R"({"q":"fox","k1":true})").error.detail, "k1 is of a wrong type");
  EXPECT_EQ(parse_search_json(R"({"q":"fox","k1":null})").error.detail, "k1 is of a wrong type");
  EXPECT_EQ(parse_count_query("q=fox&b=0.5").error.parameter, "b");
}

TEST(SearchParameters, WeighPriors) {
  EXPECT_EQ(parse_search_query("q=fox").parameters.prior_weight, 1.0);
  EXPECT_EQ(parse_search_query("q=fox&prior_weight=0").parameters.prior_weight, 0.0);
  EXPECT_EQ(parse_search_json(R"({"q":"fox","prior_weight":2.5})").parameters.prior_weight, 2.5);
  EXPECT_EQ(parse_search_query("q=fox&prior_weight=16.1").error.detail, "prior_weight must be a number from 0 to 16");
  EXPECT_EQ(parse_search_query("q=fox&prior_weight=nan").error.parameter, "prior_weight");
  EXPECT_EQ(parse_count_query("q=fox&prior_weight=1").error.parameter, "prior_weight");
}

TEST(SearchParameters, NameTheParameterThatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {{"", "q"},
                                                       {"q=a&k=0", "k"},
                                                       {"q=a&k=1001", "k"},
                                                       {"q=a&k=ten", "k"},
                                                       {"q=a&k=", "k"},
                                                       {"q=a&mode=xor", "mode"},
                                                       {"q=a&timeout_ms=-1", "timeout_ms"},
                                                       {"q=a&nonsense=1", "nonsense"},
                                                       {"q=%ff%fe", "q"},
                                                       {"q=a&q=b", "q"},
                                                       {"q=a&offset=9999&k=2", "offset"},
                                                       {"q=a&cache=maybe", "cache"},
                                                       {"q=a&k=1e1", "k"},
                                                       {"q=a&explain=yes", "explain"},
                                                       {"q=" + std::string(5000, 'a'), "q"},
                                                       {"q=a&k=99999999999", "k"}};
  for (const auto& [query, parameter] : cases) {
    const auto parsed = parse_search_query(query);
    EXPECT_FALSE(parsed.ok) << query;
    EXPECT_EQ(parsed.error.parameter, parameter) << query.substr(0, 40);
    EXPECT_EQ(parsed.error.response().status, 400);
  }
}

// A reader that takes the first and one that takes the last see different searches.
TEST(SearchParameters, AreRefusedInJsonWhereOneIsGivenTwice) {
  for (const char* json : {R"({"q":"a","q":"b"})", R"({"q":"a","k":3,"q":"a"})", R"({"q":"a","\u0071":"b"})"}) {
    const auto parsed = parse_search_json(json);
    EXPECT_FALSE(parsed.ok) << json;
    EXPECT_EQ(parsed.error.parameter, "q") << json;
    EXPECT_EQ(parsed.error.detail, "q is there twice") << json;
  }
}
TEST(SearchParameters, AreReadFromJsonHoweverDeepOrLargeItIs) {
  const std::string deep(30'000, '[');
  EXPECT_FALSE(parse_search_json(deep).ok);
  EXPECT_FALSE(parse_search_json("{\"q\":" + deep).ok);
  EXPECT_EQ(parse_search_json(R"({"q":"a","k":1e400})").error.detail,
            "the body: the JSON has a number that is too large");
  EXPECT_EQ(parse_search_json(R"({"q":"a","k":123456789012345678901234567890})").error.parameter, "k");
  EXPECT_EQ(parse_search_json(R"({"q":"a","k":4294967306})").error.parameter, "k");
  // Text that was cut in the middle of an emoji.
  EXPECT_EQ(parse_search_json(R"({"q":"cut \ud83d"})").parameters.q, "cut \xef\xbf\xbd");
}
TEST(SearchParameters, RefuseBrokenJsonAndWrongTypes) {
  const std::pair<std::string, std::string> cases[] = {{"{", ""},
                                                       {"[]", ""},
                                                       {"\"q\"", ""},
                                                       {R"({"q":1})", "q"},
                                                       {R"({"q":"a","k":"3"})", "k"},
                                                       {R"({"q":"a","k":3.5})", "k"},
                                                       {R"({"q":"a","k":-3})", "k"},
                                                       {R"({"q":"a","x":{}})", "x"},
                                                       {R"({"q":"a","fields":["id",7]})", "fields"},
                                                       {R"({"q":"a","fields":7})", "fields"},
                                                       {R"({"q":"a","profile":1})", "profile"}};
  for (const auto& [json, parameter] : cases) {
    const auto parsed = parse_search_json(json);
    EXPECT_FALSE(parsed.ok) << json;
    EXPECT_EQ(parsed.error.parameter, parameter) << json;
  }
}

}  // namespace
}  // namespace frond::broker::http
