// Requests that nobody should send: each is refused with a reason, and soon.
#include <gtest/gtest.h>

#include "broker/elasticsearch/filter_path.h"
#include "broker/elasticsearch/hits/highlight.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/search/index_search.h"
#include "common/elasticsearch/date_format.h"
#include "common/query/json/clause_json.h"

namespace frond::broker::elasticsearch {
namespace {

const SearchedIndex& index() {
  static const SearchedIndex made{
      .name = "i",
      .mapping = std::make_shared<const Mapping>(
          *read_mapping(nullptr, {{"properties", Json::parse(R"({"t":{"type":"text"},"k":{"type":"keyword"},
      "n":{"type":"integer"},"r":{"type":"float"},"d":{"type":"date"},"b":{"type":"boolean"}})")}}))};
  return made;
}

// 200: it would be searched, and its answer of nothing shown.
int status_of(const Json& body) {
  const auto ask = read_search(body, {});
  if (!ask) return ask.error().status;
  text::Analyzer analyzer(index().mapping->analyzer, 0);
  Statistics statistics;
  const auto read = parameters_of(*ask, index(), analyzer, statistics, 1'700'000'000'000, false);
  if (!read) return read.error().status;
  if (!ask->highlight.is_null())
    if (const auto fields = read_highlight(ask->highlight, *index().mapping); !fields) return fields.error().status;
  return aggregations_json(read->aggregations, nullptr, false) ? 200 : 500;
}
bool is_refusal(int status) { return status == 400 || status == 501; }  // of which clients see 400

Json list_of(std::size_t count, const char* text) { return std::vector<std::string>(count, text); }

TEST(AHostileRequest, WithMembersOfWrongTypesIsRefused) {
  for (const char* const body : {
           R"({"aggs":{"a":{"range":{"field":"r","ranges":[{"key":5,"to":3}]}}}})",
           R"({"aggs":{"a":{"range":{"field":"r","ranges":[{"from":"nan"}]}}}})",
           R"({"aggs":{"a":{"range":{"field":"r","ranges":"x"}}}})",
           R"({"aggs":{"a":{"filters":{"other_bucket_key":5,"filters":{"x":{"match_all":{}}}}}}})",
           R"({"aggs":{"a":{"filters":{"keyed":false,"filters":{"x":{"match_all":{}}}}}}})",
           R"({"aggs":{"a":{"adjacency_matrix":{"separator":1,"filters":{"x":{"match_all":{}}}}}}})",
           R"({"aggs":{"a":{"adjacency_matrix":{"filters":[{"match_all":{}},{"match_all":{}}]}}}})",
           R"({"aggs":{"a":{"max":{"field":"d","format":5}}}})",
           R"({"aggs":{"a":{"max":{"field":"d","format":"yyyyyyyyyyyyyyyyyyyy"}}}})",
           R"({"aggs":{"a":{"max":{"field":"nope","format":5}}}})",
           R"({"aggs":{"a":{"max":{"field":"nope","missing":5}}}})",
           R"({"aggs":{"a":{"terms":{"field":"nope","size":"x"}}}})",
           R"({"aggs":{"a":{"terms":{"field":"_index","size":-1}}}})",
           R"({"aggs":{"a":{"terms":{"field":"_index","order":5}}}})",
           R"({"aggs":{"a":{"terms":{"field":"k","include":"x("}}}})",
           R"({"aggs":{"a":{"terms":{"field":"k","include":"((a{1000}){1000}){1000}"}}}})",
           R"({"aggs":{"a":{"composite":{"sources":[{"x":5}]}}}})",
           R"({"aggs":{"a":{"composite":{"size":-1,"sources":[{"x":{"terms":{"field":"k"}}}]}}}})",
           R"({"aggs":{"a":{"multi_terms":{"terms":[{"field":"k"}]}}}})",
           R"({"aggs":{"a":{"percentiles_bucket":{"buckets_path":"b","percents":[500]}}}})",
           R"({"aggs":{"a":{"serial_diff":{"buckets_path":"b","lag":1000000000}}}})",
           R"({"aggs":{"a":{"avg":{"field":"n","missing":{}}}}})",
           R"({"collapse":5})",
           R"({"min_score":"x"})",
           R"({"aggs":{"a":{"percentiles":{"field":"nope","percents":"a"}}}})",
           R"({"aggs":{"a":{"percentiles":{"field":"n","percents":[50,"a"]}}}})",
           R"({"aggs":{"a":{"percentiles":{"field":"n","keyed":7}}}})",
           R"({"aggs":{"a":{"date_histogram":{"field":"nope","time_zone":5}}}})",
           R"({"aggs":{"a":{"date_histogram":{"field":"nope","extended_bounds":{"min":0,"max":1}}}}})",
           R"({"aggs":{"a":{"date_histogram":{"field":"d","fixed_interval":"1d","extended_bounds":{"min":0}}}}})",
           R"({"aggs":{"a":{"date_histogram":{"field":"d","fixed_interval":"1d","min_doc_count":"x"}}}})",
           R"({"aggs":{"a":{"histogram":{"field":"n","interval":5,"min_doc_count":-1}}}})",
           R"({"aggs":{"a":{"histogram":{"field":"n","interval":"inf"}}}})",
           R"({"aggs":{"a":{"percentile_ranks":{"field":"n","values":["nan"]}}}})",
           R"({"aggs":{"a":{"percentile_ranks":{"field":"n","values":["-inf"]}}}})",
           R"({"aggs":{"a":{"histogram":{"field":"n","interval":5,"order":[{"_key":"asc"},{"_count":"asc"}]}}}})",
           R"({"aggs":{"a":{"histogram":{"field":"n","interval":5,"order":{"x.y":"asc"}}}}})",
           R"({"query":{"function_score":{"functions":"x","weight":2}}})",
           R"({"query":{"function_score":{"functions":[{"weight":"x"}]}}})",
           R"({"query":{"match":{"t":{"query":"x","boost":"2x"}}}})",
           R"({"query":{"term":{"k":{"value":"x","boost":true}}}})",
           R"({"query":{"terms":{"k":["x"],"boost":{}}}})",
           R"({"query":{"range":{"n":{"gte":1},"boost":[]}}})",
           R"({"query":{"range":{"d":{"gte":1,"format":5}}}})",
           R"({"query":{"query_string":{"query":"x","escape":true}}})",
           R"({"query":{"query_string":{"query":"x","allow_leading_wildcard":false}}})",
           R"({"query":{"query_string":{"query":"x","default_operator":"xor"}}})",
           R"({"query":{"query_string":{"query":"x","default_field":5}}})",
           R"({"query":{"query_string":{"query":"x","type":{}}}})",
           R"({"query":{"simple_query_string":{"query":"x","default_operator":"xor"}}})",
           R"({"query":{"match_bool_prefix":{"t":{"query":"x","max_expansions":5}}}})",
           R"({"query":{"exists":{"field":"*"}},"indices_boost":[{"i":"x"}]})",
           R"({"indices_boost":5})",
           R"({"docvalue_fields":[{"field":"d","format":5}]})",
           R"({"highlight":{"order":"score","fields":{"t":{}}}})",
           R"({"highlight":{"fields":5}})",
           R"({"from":18446744073709551615})",
           R"({"size":1e300})",
       })
    EXPECT_TRUE(is_refusal(status_of(Json::parse(body)))) << body << " " << status_of(Json::parse(body));
}

TEST(AHostileRequest, OfManyBucketsIsRefused) {
  EXPECT_TRUE(is_refusal(status_of(Json::parse(R"({"aggs":{"a":{"date_histogram":{"field":"d","fixed_interval":"1ms",
      "extended_bounds":{"min":"-9000000000000000000","max":"9000000000000000000"}}}}})"))));
  EXPECT_TRUE(is_refusal(status_of(Json::parse(R"({"aggs":{"a":{"date_histogram":{"field":"d","fixed_interval":"1ms",
      "extended_bounds":{"min":"-8999999999999999","max":"8999999999999999"}}}}})"))));
  EXPECT_EQ(status_of(Json::parse(R"({"aggs":{"a":{"date_histogram":{"field":"d","fixed_interval":"1d",
      "extended_bounds":{"min":"2020-01-01","max":"2020-01-05"}}}}})")),
            200);
}

TEST(AHostileRequest, OfPatternsOverAllValuesIsBoundedTogether) {
  text::Analyzer analyzer(index().mapping->analyzer, 0);
  Statistics statistics;
  statistics.set_words({"k\t", {}}, std::vector<std::string>(10'000, std::string(100, 'a')));
  const auto status_with = [&](std::size_t patterns) {
    Json any = Json::array();
    for (std::size_t i = 0; i < patterns; ++i) any.push_back({{"regexp", {{"k", "x.*" + std::to_string(i)}}}});
    QueryScope scope{.mapping = *index().mapping, .index = "i", .analyzer = analyzer, .statistics = statistics};
    const auto read = QueryReader(scope).read({{"bool", {{"should", any}}}}, 1, /*scored=*/false);
    return read ? 200 : read.error().status;
  };
  EXPECT_EQ(status_with(2), 200);
  EXPECT_FALSE(statistics.lacks_words());
  EXPECT_EQ(statistics.words("none"), nullptr);
  EXPECT_TRUE(statistics.lacks_words());
  EXPECT_EQ(status_with(100), 501);
}

TEST(AHostileRequest, OfClausesThatDoubleIsRefused) {
  Json query = {{"match", {{"t", "a"}}}};
  for (int i = 0; i < 28; ++i)
    query = {
        {"boosting", {{"positive", query}, {"negative", {{"match_none", Json::object()}}}, {"negative_boost", 0.5}}}};
  EXPECT_EQ(status_of({{"query", query}}), 400);
  query = {{"match", {{"t", "a"}}}};
  for (int i = 0; i < 28; ++i)
    query = {{"function_score",
              {{"query", query}, {"functions", {{{"weight", 0.9}, {"filter", {{"match_all", Json::object()}}}}}}}}};
  EXPECT_EQ(status_of({{"query", query}}), 400);
}

TEST(AHostileRequest, OfGroupsInGroupsIsReadOnce) {
  std::string text = "a";
  for (int i = 0; i < 18; ++i) text = "(" + text + ")^1.1";
  EXPECT_EQ(status_of({{"query", {{"query_string", {{"query", text}, {"fields", {"t"}}}}}}}), 200);
  text.clear();
  for (int i = 0; i < 100'000; ++i) text += "t:";
  EXPECT_EQ(status_of({{"query", {{"query_string", {{"query", text + "a"}}}}}}), 400);
  text.assign(100'000, '(');
  EXPECT_EQ(status_of({{"query", {{"query_string", {{"query", text}}}}}}), 400);
}

TEST(AHostileRequest, OfLongListsIsRefused) {
  const Json many = list_of(200'000, "*");
  EXPECT_EQ(status_of({{"query", {{"multi_match", {{"query", "a"}, {"fields", many}}}}}}), 400);
  EXPECT_EQ(status_of({{"query", {{"query_string", {{"query", "a"}, {"fields", many}}}}}}), 400);
  for (const char* const name : {"fields", "docvalue_fields", "_source", "sort"})
    EXPECT_EQ(status_of({{name, many}}), 400) << name;
  Json groups = Json::array();
  for (int i = 0; i < 101; ++i) groups.push_back({{"*", Json::object()}});
  EXPECT_EQ(status_of({{"highlight", {{"fields", groups}}}}), 400);
  Json filters = Json::object();
  for (int i = 0; i < 101; ++i) filters[std::to_string(i)] = {{"match_all", Json::object()}};
  EXPECT_EQ(status_of({{"aggs", {{"a", {{"adjacency_matrix", {{"filters", filters}}}}}}}}), 400);
}

TEST(AFactor, OfAFinishedClauseIsThatOfAReadOne) {
  text::Analyzer analyzer(index().mapping->analyzer, 0);
  Statistics statistics;
  QueryScope scope{
      .mapping = *index().mapping, .index = "i", .analyzer = analyzer, .statistics = statistics, .scale = 32};
  const Json query = Json::parse(
      R"({"bool":{"must":[{"match":{"t":{"query":"a b","boost":1.5}}},{"term":{"n":5}}],"filter":{"term":{"k":"x"}}}})");
  QueryReader reader(scope);
  const auto once = reader.read(query);
  ASSERT_TRUE(once);
  const auto twice = reader.multiplied(*once, 0.25);
  ASSERT_TRUE(twice);
  EXPECT_EQ(query::clause_json(*twice), query::clause_json(*reader.read(query, 0.25)));
}

TEST(ADate, OutsideOfTheCalendarIsRefused) {
  const DateReading now{.now_ms = 1'700'000'000'000};
  for (const char* const text : {"9223372036854775807||+1w", "8999999999999999||/y", "now+90000y", "now+9000y+9000y",
                                 "now-3000y", "9000000000000000", "-9000000000000000", "now+99999999999999999999d"})
    EXPECT_FALSE(parse_date_math(text, kUsualDateFormat, now)) << text;
  EXPECT_TRUE(parse_date_math("now+1000y/d", kUsualDateFormat, now));
  EXPECT_FALSE(parse_date("9223372036854775", "epoch_second", now));
}

TEST(AFormat, ThatIsTooLongIsNone) {
  EXPECT_FALSE(print_date(0, std::string(1 << 20, '-')));
  EXPECT_FALSE(print_date(0, "yyyyyyyyyyyyyyyyyyyy"));
  EXPECT_FALSE(parse_date("99999999999999999999", "yyyyyyyyyyyyyyyyyyyy", {}));
  EXPECT_FALSE(parse_date("257", "ddd", {}));
  const auto mapped = [](const std::string& format) {
    return read_mapping(nullptr, {{"properties", {{"d", {{"type", "date"}, {"format", format}}}}}});
  };
  EXPECT_TRUE(mapped("yyyy-MM-dd HH:mm:ss||epoch_millis"));
  EXPECT_EQ(mapped(std::string(101, '-')).error().status, 400);
  EXPECT_EQ(mapped("yyyyyyyyyyyyyyyyyyyy").error().status, 400);
}

TEST(AFilterPath, OfAnyDepthsCostsNoMoreThanItsNames) {
  Json deep = 1;
  for (int i = 0; i < 60; ++i) deep = {{"a", deep}};
  std::string path = "**";
  for (int i = 0; i < 40; ++i) path += i % 2 == 0 ? ".*" : ".**";
  EXPECT_TRUE(check_paths(path));
  EXPECT_EQ(formed(deep.dump(), path, false), deep.dump());
  for (int i = 0; i < 100; ++i) path += ".*";
  EXPECT_EQ(check_paths(path).error().status, 400);
}

TEST(AnAnswer, KeepsItsOrderAndItsDigitsInAnyForm) {
  const std::string answer =
      R"({"took":1,"hits":{"z":123456789012345678901,"a":1.10,"l":[{"b":1,"c":[]},{"c":2},null],"e":{}}})";
  EXPECT_EQ(formed(answer, "", false), answer);
  EXPECT_EQ(formed(answer, "-took", false), answer.substr(0, 1) + answer.substr(10));
  EXPECT_EQ(formed(answer, "hits.z,hits.l.b", false), R"({"hits":{"z":123456789012345678901,"l":[{"b":1}]}})");
  EXPECT_EQ(formed(answer, "hits.*,-hits.l.c", false),
            R"({"hits":{"z":123456789012345678901,"a":1.10,"l":[{"b":1},null],"e":{}}})");
  EXPECT_EQ(formed(answer, "-hits.**", false), R"({"took":1})");
  EXPECT_EQ(formed(answer, "nosuch", false), "{}");
  EXPECT_EQ(formed(R"({"b":[1,{}],"a":{"c":"x"}})", "", true),
            "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": {\n    \"c\": \"x\"\n  }\n}");
}

TEST(AnAnswer, SaysWhichPartitionsItLacks) {
  const auto ask = read_search(Json::object(), {{"allow_partial_search_results", "false"}});
  ASSERT_TRUE(ask);
  EXPECT_FALSE(ask->partial);
  merge::Page page;
  page.partitions_total = 2;
  page.total.value = 3;
  http::Answer found{.partitions_total = 2, .partitions_answered = 2};
  found.rest = render_rest(page, {.count = true}, &found.pieces);
  EXPECT_EQ(read_answer(found, *ask, index(), 1)->lacking, "");
  page.unsearched = {{1, wire::UnsearchedReason::kDeadline}};
  found.partitions_answered = 1;
  found.rest = render_rest(page, {.count = true}, &found.pieces);
  EXPECT_EQ(read_answer(found, *ask, index(), 1)->total, 3u);
  EXPECT_NE(read_answer(found, *ask, index(), 1)->lacking.find("\"partition\":1"), std::string::npos);
}

TEST(AnAnalyzer, WhoseTypeIsAListIsRefused) {
  const Json settings = Json::parse(R"({"index":{"analysis":{"analyzer":{"x":{"type":["a"]}}}}})");
  const auto mapping = read_mapping(settings, Json::parse(R"({"properties":{"t":{"type":"text","analyzer":"x"}}})"));
  ASSERT_FALSE(mapping);
  EXPECT_EQ(mapping.error().status, 400);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
