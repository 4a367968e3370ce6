// What a search asks for, and its hits.
#include "broker/elasticsearch/search/search_request.h"

#include <gtest/gtest.h>

#include "broker/elasticsearch/hits/highlight.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/search/index_search.h"

namespace frond::broker::elasticsearch {
namespace {

TEST(ASearch, TakesParametersBeforeItsBody) {
  const auto ask = read_search(
      Json::parse(R"({"size":7,"from":1,"sort":["a",{"b":"desc"},{"c":{"order":"asc","missing":"_first"}}]})"),
      {{"size", "2"}, {"q", "x"}, {"df", "title"}});
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->size, 2u);
  EXPECT_EQ(ask->from, 1u);
  ASSERT_EQ(ask->sort.size(), 3u);
  EXPECT_TRUE(ask->sort[1].descending);
  EXPECT_TRUE(ask->sort[2].missing_first);
  EXPECT_EQ(ask->query["query_string"]["default_field"], "title");
}

TEST(ASearch, AddsTheOrderOfItsAddressAndTakesItsSourceFromThere) {
  const auto ask = read_search(Json::parse(R"({"sort":["a"],"_source":false})"),
                               {{"sort", "x"}, {"sort", "b:desc,c"}, {"_source_includes", "t"}, {"version", ""}});
  ASSERT_TRUE(ask);
  std::string order;
  for (const AskedSort& one : ask->sort) order += one.field;
  EXPECT_EQ(order, "abc");
  EXPECT_TRUE(ask->source.shown && !ask->versions);
  EXPECT_EQ(ask->source.includes, std::vector<std::string>{"t"});
}

TEST(ASearch, HasNoParametersOfAQueryThatIsNotThere) {
  for (const char* const name : {"df", "analyzer", "default_operator", "lenient", "analyze_wildcard"})
    EXPECT_EQ(read_search(Json::object(), {{name, "AND"}}).error().status, 400) << name;
  for (const char* const body :
       {R"({"stored_fields":"_none_","_source":true})", R"({"stored_fields":"_none_","version":true})"})
    EXPECT_EQ(read_search(Json::parse(body), {}).error().status, 400) << body;
  EXPECT_TRUE(read_search(Json::parse(R"({"stored_fields":"_none_"})"), {}));
}

TEST(ASearch, IsOrderedByEachFieldOnce) {
  SearchedIndex index{.name = "i",
                      .mapping = std::make_shared<Mapping>(*read_mapping(
                          nullptr, {{"properties", Json::parse(R"({"n":{"type":"long"},"k":{"type":"keyword"}})")}}))};
  const auto ask = read_search(Json::parse(R"({"sort":["n",{"n":"desc"},"k"],"_source":false})"), {});
  ASSERT_TRUE(ask);
  Statistics statistics;
  text::Analyzer analyzer(index.mapping->analyzer, 0);
  const auto read = parameters_of(*ask, index, analyzer, statistics, 0, false);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->hits.sort.size(), 2u);
  http::Answer found{.rest = R"([5,"x"])"};
  found.pieces.hits.push_back({.sort = {0, static_cast<std::uint32_t>(found.rest.size())}});
  const auto answer = read_answer(found, *ask, index, 1);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->hits.front().sort, Json::parse(R"([5,5,"x"])"));
}

TEST(ASearch, IsRefusedWhereElasticsearchRefuses) {
  for (const char* const body :
       {R"({"from":9999,"size":2})", R"({"from":-5})", R"({"from":-1})", R"({"fields":"a"})", R"({"stats":"a"})",
        R"({"sort":[{"_score":{"mode":"max"}}]})", R"({"nosuch":1})", R"({"search_after":[1]})", R"({"timeout":5})",
        R"({"sort":[{"a":{"mode":"weird"}}]})", R"({"query":[]})", R"({"track_total_hits":-7})"})
    EXPECT_EQ(read_search(Json::parse(body), {}).error().status, 400) << body;
  for (const char* const body :
       {R"({"suggest":{"a":{"text":"x","phrase":{"field":"f"}}}})", R"({"slice":{}})", R"({"runtime_mappings":{}})",
        R"({"sort":[{"a":{"nested":{}}}]})", R"({"sort":{"a":"asc","b":"asc"}})"})
    EXPECT_EQ(read_search(Json::parse(body), {}).error().status, 501) << body;
}

TEST(ASource, IsShownWithTheMembersThatAreNamed) {
  const char* const source =
      R"({"title":"x","author":{"name":"A","country":"NL"},"tags":["a"],"list":[{"p":1,"q":2}]})";
  const auto shown = [&](const char* filter) {
    return filtered_source(source, *source_filter_in(Json::parse(filter)));
  };
  EXPECT_EQ(shown(R"(["t*"])"), R"({"title":"x","tags":["a"]})");
  EXPECT_EQ(shown(R"({"includes":["author"],"excludes":["author.name"]})"), R"({"author":{"country":"NL"}})");
  EXPECT_EQ(shown(R"(["list.p"])"), R"({"list":[{"p":1}]})");
  EXPECT_EQ(shown(R"(["nosuch"])"), "{}");
  EXPECT_EQ(shown("[]"), source);
  EXPECT_EQ(shown(R"({"excludes":["author.*","t*","list"]})"), R"({"author":{}})");
}

TEST(ASearch, HasNoStagesWhereOneSearchIsEnough) {
  for (const char* const body :
       {R"({})", R"({"query":{"match":{"a":"x"}},"sort":["n"],"aggs":{"t":{"terms":{"field":"k"}}}})",
        R"({"from":990,"size":10})", R"({"size":0,"from":2000})"})
    EXPECT_FALSE(read_search(Json::parse(body), {})->may_have_stages()) << body;
  for (const char* const body :
       {R"({"query":{"bool":{"must":[{"match":{"a":{"query":"x","_name":"n"}}}]}}})",
        R"({"query":{"function_score":{"query":{"match_all":{}}}}})",
        R"({"aggs":{"t":{"terms":{"field":"k"},"aggs":{"h":{"top_hits":{}}}}}})", R"({"min_score":1})",
        R"({"collapse":{"field":"k"}})", R"({"rescore":{"query":{"rescore_query":{"match_all":{}}}}})",
        R"({"sort":["n"],"track_scores":true})", R"({"sort":["_id"]})", R"({"from":995,"size":10})",
        R"({"size":1001})"})
    EXPECT_TRUE(read_search(Json::parse(body), {})->may_have_stages()) << body;
}

TEST(AHit, HasFieldsFromItsSourceAndSentinelsWhereItHasNoValue) {
  SearchedIndex index{
      .name = "i",
      .mapping = std::make_shared<Mapping>(*read_mapping(nullptr, {{"properties", Json::parse(R"({"d":{"type":"date"},
      "k":{"type":"keyword"},"n":{"type":"long"},"r":{"type":"float"}})")}}))};
  const auto ask =
      read_search(Json::parse(R"({"sort":["n","r"],"docvalue_fields":["k","d"],"fields":["r"],"_source":false})"), {});
  ASSERT_TRUE(ask);
  http::Answer found{.rest = R"("total":{"value":1,"relation":"eq"},"hits":[{"id":"1","sort":[null,4.900000095367432],)"
                             R"("source":{"id":"1","_source":{"k":["b","a","b"],"d":"2020-01-01","r":4.9}}}]})"};
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return http::Pieces::Piece{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  };
  const std::size_t id = found.rest.find("\"1\""), sort = found.rest.find("[null"),
                    source = found.rest.find("\"source");
  found.pieces.scored = false;
  found.pieces.total.value = 1;
  found.pieces.hits.push_back(
      {.id = piece(id, id + 3), .columns = piece(source, found.rest.size() - 3), .sort = piece(sort, source - 1)});
  const auto answer = read_answer(found, *ask, index, 1);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->hits.size(), 1u);
  std::string out;
  append_hit(out, answer->hits[0], *ask, index);
  EXPECT_EQ(Json::parse(out), Json::parse(R"({"_index":"i","_id":"1","_score":null,"sort":[9223372036854775807,4.9],
      "fields":{"k":["a","b"],"d":["2020-01-01T00:00:00.000Z"],"r":[4.9]}})"));
}

TEST(AHit, HasKeywordsOfSoManyCharacters) {
  SearchedIndex index{.name = "i",
                      .mapping = std::make_shared<Mapping>(*read_mapping(
                          nullptr, {{"properties", Json::parse(R"({"k":{"type":"keyword","ignore_above":3}})")}}))};
  const auto ask = read_search(Json::parse(R"({"docvalue_fields":["k"],"_source":false})"), {});
  std::string out;
  append_hit(out, {.id = "1", .source = R"({"k":["äöü","abcd"]})", .score = {}}, *ask, index);
  EXPECT_EQ(Json::parse(out)["fields"], Json::parse(R"({"k":["äöü"]})"));
}

TEST(ShownFields, AreRefusedWhereTheirValuesOrTheirFormatsAreNoneOfTheField) {
  const Mapping mapping = *read_mapping(nullptr, {{"properties", Json::parse(R"({"text":{"type":"text"},
      "tag":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"date"}})")}});
  const auto takes = [&](const char* body) {
    return static_cast<bool>(check_shown(*read_search(Json::parse(body), {}), mapping));
  };
  for (const char* right : {R"({"fields":["*",{"field":"d","format":"yyyy"}]})",
                            R"({"docvalue_fields":["n*",{"field":"n","format":"0.0"}]})",
                            R"({"docvalue_fields":[{"field":"ta*","format":"use_field_mapping"}]})"})
    EXPECT_TRUE(takes(right)) << right;
  for (const char* wrong :
       {R"({"docvalue_fields":["*"]})", R"({"docvalue_fields":["te*"]})", R"({"docvalue_fields":["_version"]})",
        R"({"fields":[{"field":"n","format":"0.0"}]})", R"({"fields":[{"field":"ta*","format":"yyyy"}]})",
        R"({"fields":[{"field":"d","format":"use_field_mapping"}]})",
        R"({"docvalue_fields":[{"field":"tag","format":"yyyy"}]})"})
    EXPECT_FALSE(takes(wrong)) << wrong;
}

TEST(AHighlight, TakesNumbersAsTexts) {
  const Mapping mapping = *read_mapping(nullptr, {{"properties", Json::parse(R"({"text":{"type":"text"}})")}});
  const auto read =
      read_highlight(Json::parse(R"({"fields":{"text":{"fragment_size":"40"}},"number_of_fragments":"1"})"), mapping);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::pair(read->front().size, read->front().fragments), std::pair(std::size_t{40}, std::size_t{1}));
  for (const auto& [wrong, status] : {std::pair(R"({"fields":{"text":{}},"no_match_size":-1})", 501),
                                      std::pair(R"({"fields":{"text":{}},"fragment_size":"x"})", 400)})
    EXPECT_EQ(read_highlight(Json::parse(wrong), mapping).error().status, status) << wrong;
}

TEST(AHighlight, MarksWhatAQueryOfItsOwnLooksForAndWordsAlone) {
  const Mapping mapping = *read_mapping(nullptr, {{"properties", Json::parse(R"({"t":{"type":"text"}})")}});
  text::Analyzer analyzer(mapping.analyzer, 0);
  const auto shown = [&](const char* options) {
    const auto fields = read_highlight({{"fields", {{"t", Json::parse(options)}}}}, mapping);
    return fields ? highlighted({{"t", "red fox, red hill"}}, *fields, {{"t", {.terms = {"red"}}}}, analyzer)
                  : Json(fields.error().status);
  };
  EXPECT_EQ(shown("{}"), Json::parse(R"({"t":["<em>red</em> fox, <em>red</em> hill"]})"));
  EXPECT_EQ(shown(R"({"highlight_query":{"match":{"t":"Hill"}}})"),
            Json::parse(R"({"t":["red fox, red <em>hill</em>"]})"));
  EXPECT_EQ(shown(R"({"boundary_scanner":"word"})"), Json::parse(R"({"t":["<em>red</em>","<em>red</em>"]})"));
  EXPECT_EQ(shown(R"({"highlight_query":{"nosuch":{}}})"), 400);
  EXPECT_EQ(shown(R"({"highlight_query":{"match":{"t":{"query":"helo","fuzziness":1}}}})"), 501);
}

TEST(AHighlight, ReadsAQueryOnceAndNamesAFieldOnceHoweverManyPatternsThereAre) {
  const Mapping mapping =
      *read_mapping(nullptr, {{"properties", Json::parse(R"({"t":{"type":"text"},"u":{"type":"text"}})")}});
  const auto read = [&](std::size_t patterns, const Json& options) {
    Json fields = Json::array();
    for (std::size_t i = 0; i < patterns; ++i) fields.push_back({{"*", options}});
    return read_highlight({{"highlight_query", {{"term", {{"t", "red"}}}}}, {"fields", fields}}, mapping);
  };
  const auto shared = read(100, Json::object());
  ASSERT_TRUE(shared);
  ASSERT_EQ(shared->size(), 2);
  EXPECT_NE(shared->front().own, nullptr);
  EXPECT_EQ(shared->front().own, shared->back().own);
  const Json own = {{"highlight_query", {{"term", {{"t", "fox"}}}}}};
  const auto most = read(16, own);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->size(), 2);
  EXPECT_EQ(most->front().own, most->back().own);
  EXPECT_EQ(read(17, own).error().status, 400);
  EXPECT_TRUE(read(1, {{"pre_tags", {std::string(256, 'x')}}}));
  EXPECT_EQ(read(1, {{"pre_tags", {std::string(257, 'x')}}}).error().status, 400);
}

TEST(ASourceFilter, TakesTextsOfABodyAsTheyStand) {
  for (const char* const none : {R"("")", R"("a,b")", R"(["a,b"])", "[5]"})
    EXPECT_EQ(filtered_source(R"({"a":1,"b":2})", *source_filter_in(Json::parse(none))), "{}") << none;
  EXPECT_EQ(filtered_source(R"({"a":1,"b":2})", source_filter_in(Parameters{{"_source", "a,c"}})), R"({"a":1})");
}

TEST(AFlagOfASearch, MayBeAText) {
  const auto ask = read_search(Json::parse(R"({"version":"true","explain":"true","track_scores":"false"})"), {});
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->versions && ask->explain && !ask->track_scores);
  EXPECT_EQ(read_search(Json::parse(R"({"version":"yes"})"), {}).error().status, 400);
}

TEST(AScore, IsPrintedInThirtyTwoBits) {
  EXPECT_EQ(score_text(1), "1.0");
  EXPECT_EQ(score_text(5.3983893394470215), "5.3983893");
}

}  // namespace
}  // namespace frond::broker::elasticsearch
