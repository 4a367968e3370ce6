// Aggregations as facets, and what was counted.
#include "broker/elasticsearch/aggregations/aggregations.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace frond::broker::elasticsearch {
namespace {

struct AggregationReading {
  Mapping mapping =
      *read_mapping(nullptr, {{"properties", Json::parse(R"({"tag":{"type":"keyword"},"n":{"type":"integer"},
      "d":{"type":"date"},"b":{"type":"boolean"},"t":{"type":"text"}})")}});
  Statistics statistics;
  text::Analyzer analyzer{mapping.analyzer, 0};
  QueryScope scope{.mapping = mapping, .index = "i", .analyzer = analyzer, .statistics = statistics};
  Expected<std::vector<Aggregation>> read(const char* json) {
    return read_aggregations(Json::parse(json), scope, false);
  }
};

TEST(AnAggregation, IsAFacetWithOthersInside) {
  AggregationReading reading;
  const auto read = reading.read(
      R"({"t":{"terms":{"field":"tag","size":3,"order":{"m":"desc"}},"aggs":{"m":{"avg":{"field":"n"}}}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().facet, Json::parse(
                                     R"({"values":{"field":"tag","size":14,"order":"m.mean:desc"},
                "facets":{"m":{"stats":{"field":"n"}},">each n":{"count":{"field":"n"}}}})"));
  EXPECT_TRUE(facets_of(*read));
  const Json counted = Json::parse(
      R"({"t":{"buckets":[{"value":"x","count":2,"facets":{"m":{"count":2,"min":1,"max":2,"sum":3,"mean":1.5}}}],"other":1,"missing":0}})");
  EXPECT_EQ(*aggregations_json(*read, counted, true),
            Json::parse(R"({"sterms#t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":1,
      "buckets":[{"key":"x","doc_count":2,"avg#m":{"value":1.5}}]}})"));
}

TEST(AnAggregation, OfRangesIsOneOfClauses) {
  AggregationReading reading;
  const auto read = reading.read(R"({"r":{"range":{"field":"n","ranges":[{"from":20},{"to":20}]}}})");
  ASSERT_TRUE(read);
  ASSERT_TRUE(facets_of(*read));
  const Json counted = Json::parse(R"({"r":{"buckets":[{"name":"0","count":7},{"name":"1","count":8}]}})");
  EXPECT_EQ((*aggregations_json(*read, counted, false))["r"]["buckets"],
            Json::parse(R"([{"key":"*-20.0","to":20.0,"doc_count":7},{"key":"20.0-*","from":20.0,"doc_count":8}])"));
}

TEST(AnAggregation, OfNothingHasItsShape) {
  AggregationReading reading;
  const auto read = reading.read(
      R"({"s":{"stats":{"field":"nosuch"}},"p":{"percentiles":{"field":"n","percents":[50]}},"c":{"cardinality":{"field":"n"}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(*aggregations_json(*read, nullptr, false),
            Json::parse(R"({"s":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0},
      "p":{"values":{"50.0":null}},"c":{"value":0}})"));
}

TEST(AnAggregation, OfSeveralFieldsIsFacetsInFacets) {
  AggregationReading reading;
  const auto read = reading.read(
      R"({"c":{"composite":{"size":2,"after":{"a":"x","b":1},"sources":[{"a":{"terms":{"field":"tag"}}},
      {"b":{"terms":{"field":"n","order":"desc","missing_bucket":true}}}]}}})");
  ASSERT_TRUE(read);
  ASSERT_TRUE(facets_of(*read));
  const Json counted = Json::parse(R"({"c>0":{"other":0,"buckets":[
      {"value":"x","count":3,"facets":{">1":{"other":0,"buckets":[{"value":1,"count":1},{"value":2,"count":1}]},">1-":{"count":1}}},
      {"value":"y","count":3,"facets":{">1":{"other":0,"buckets":[{"value":1,"count":3}]},">1-":{"count":0}}}]}})");
  EXPECT_EQ((*aggregations_json(*read, counted, false))["c"],
            Json::parse(R"({"after_key":{"a":"y","b":1},"buckets":[{"key":{"a":"x","b":null},"doc_count":1},
      {"key":{"a":"y","b":1},"doc_count":3}]})"));
}

TEST(AnAggregation, OfDocumentsWithoutAValueCountsThem) {
  AggregationReading reading;
  const auto read =
      reading.read(R"({"a":{"avg":{"field":"n","missing":4}},"h":{"histogram":{"field":"n","interval":2,"missing":-2}},
      "t":{"terms":{"field":"tag","missing":"none"}}})");
  ASSERT_TRUE(read);
  ASSERT_TRUE(facets_of(*read));
  const Json all = *aggregations_json(
      *read, Json::parse(R"({"a":{"count":1,"min":2,"max":2,"sum":2,"mean":2},"a>missing":{"count":1},
      "h":{"buckets":[{"from":2,"count":1}],"missing":1},"h>missing":{"count":1},
      "t":{"buckets":[{"value":"x","count":1}],"other":0,"missing":2},"t>missing":{"count":2}})"),
      false);
  EXPECT_EQ(all["a"], Json::parse(R"({"value":3.0})"));
  EXPECT_EQ(all["h"]["buckets"].size(), 3u);
  EXPECT_EQ(all["h"]["buckets"][0], Json::parse(R"({"key":-2.0,"doc_count":1})"));
  EXPECT_EQ(all["t"]["buckets"], Json::parse(R"([{"key":"none","doc_count":2},{"key":"x","doc_count":1}])"));
}

TEST(AnAggregation, OverBucketsIsMadeOfThem) {
  AggregationReading reading;
  const auto read = reading.read(R"({"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"sum":{"field":"n"}},
      "d":{"derivative":{"buckets_path":"s"}},"c":{"cumulative_sum":{"buckets_path":"s"}},
      "o":{"bucket_sort":{"sort":[{"s":"desc"}],"size":1}}}},"m":{"max_bucket":{"buckets_path":"h>s"}}})");
  ASSERT_TRUE(read);
  const char* const bucket = R"({"from":%,"count":1,"facets":{"s":{"count":1,"min":%,"max":%,"sum":%,"mean":%}}})";
  Json counted = {{"h", {{"buckets", Json::array()}}}};
  for (const char number : {'1', '3'}) {
    std::string text(bucket);
    std::ranges::replace(text, '%', number);
    counted["h"]["buckets"].push_back(Json::parse(text));
  }
  EXPECT_EQ(
      *aggregations_json(*read, counted, false),
      Json::parse(R"({"h":{"buckets":[{"key":3.0,"doc_count":1,"s":{"value":3.0},"d":{"value":2.0},"c":{"value":4.0}}]},
      "m":{"value":3.0,"keys":["3.0"]}})"));
  EXPECT_EQ(reading.read(R"({"a":{"derivative":{}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"bucket_script":{}}})").error().status, 501);
}

TEST(AnAggregation, OfValuesIsExact) {
  AggregationReading reading;
  const auto read = reading.read(R"({"e":{"extended_stats":{"field":"n"}},"b":{"avg":{"field":"b"}}})");
  ASSERT_TRUE(read);
  const Json all =
      *aggregations_json(*read, Json::parse(R"({"e":{"other":0,"buckets":[{"value":1,"count":1},{"value":3,"count":1}]},
      "b":{"other":0,"buckets":[{"value":true,"count":1},{"value":false,"count":3}]}})"),
                         false);
  EXPECT_EQ(all["e"]["sum_of_squares"], 10.0);
  EXPECT_EQ(all["e"]["variance_sampling"], 2.0);
  EXPECT_EQ(all["b"], Json::parse(R"({"value":0.25,"value_as_string":"true"})"));
  EXPECT_EQ(aggregations_json(*read, Json::parse(R"({"e":{"other":1,"buckets":[]}})"), false).error().status, 501);
}

TEST(AnAggregation, OfTermsWithALeastCountShowsWhatAShardWouldSend) {
  AggregationReading reading;
  const auto counted = [](int values) {
    Json all = {{"t", {{"other", 5}, {"buckets", Json::array()}}}};
    for (int i = 0; i < values; ++i)
      all["t"]["buckets"].push_back({{"value", "v" + std::to_string(100 + i)}, {"count", i < 3 ? 9 - i : 1}});
    return all;
  };
  const auto shown = [&](const char* terms, const Json& facets) {
    const auto read = reading.read(terms);
    EXPECT_TRUE(read) << terms;
    return read ? (*aggregations_json(*read, facets, false))["t"] : Json();
  };
  // The shard sends 2 + 1 + 10 of 15; the rest and those beyond the size count as others, what is too small does not.
  const Json some = shown(R"({"t":{"terms":{"field":"tag","size":2,"min_doc_count":2}}})", counted(15));
  EXPECT_EQ(some["buckets"].size(), 2u);
  EXPECT_EQ(some["sum_other_doc_count"], 5 + 7 + 2);
  const Json by_key =
      shown(R"({"t":{"terms":{"field":"tag","size":2,"min_doc_count":9,"order":{"_key":"asc"}}}})", counted(4));
  EXPECT_EQ(by_key["buckets"].size(), 1u);
  EXPECT_EQ(by_key["sum_other_doc_count"], 5 + 7 + 1);
  const Json wide = shown(R"({"t":{"terms":{"field":"tag","size":2,"min_doc_count":2,"shard_size":3}}})", counted(15));
  EXPECT_EQ(wide["sum_other_doc_count"], 5 + 12 + 7);
}

TEST(AnAggregation, WhosePatternsTakeLongIsRefused) {
  AggregationReading reading;
  const auto read = reading.read(R"({"t":{"terms":{"field":"tag","include":"(a?){300}.*"}}})");
  ASSERT_TRUE(read);
  Json facets = {{"t", {{"other", 0}, {"buckets", Json::array()}}}};
  for (int i = 0; i < 1000; ++i) facets["t"]["buckets"].push_back({{"value", std::string(200, 'b')}, {"count", 1}});
  EXPECT_EQ(aggregations_json(*read, facets, false).error().status, 501);
}

TEST(AnAggregation, OfRepeatsInADocumentIsRefused) {
  AggregationReading reading;
  const auto read = reading.read(R"({"m":{"avg":{"field":"n"}},"x":{"max":{"field":"n"}}})");
  ASSERT_TRUE(read);
  const auto with = [&](int values) {
    Json facets = Json::parse(R"({"m":{"count":2,"min":1,"max":2,"sum":3,"mean":1.5},
        "x":{"count":2,"min":1,"max":2,"sum":3,"mean":1.5},">each n":{"documents":2}})");
    facets[">each n"]["values"] = values;
    return aggregations_json(*read, facets, false);
  };
  EXPECT_EQ((*with(2))["m"]["value"], 1.5);
  EXPECT_EQ(with(3).error().status, 501);
}

TEST(AnAggregation, OfNumbersHasTheirFormat) {
  AggregationReading reading;
  const auto read = reading.read(R"({"m":{"avg":{"field":"n","format":"0.00"}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(*aggregations_json(*read, Json::parse(R"({"m":{"count":2,"min":1,"max":2,"sum":3,"mean":1.5}})"), false),
            Json::parse(R"({"m":{"value":1.5,"value_as_string":"1.50"}})"));
}

TEST(AnAggregation, InHardBoundsBeginsAndEndsWithADocument) {
  AggregationReading reading;
  const auto read = reading.read(
      R"({"d":{"date_histogram":{"field":"d","fixed_interval":"1d","hard_bounds":{"min":"1970-01-02","max":"1970-01-06"}}}})");
  ASSERT_TRUE(read);
  Json facets = {{"d", {{"buckets", Json::array()}}}};
  int day = 0;
  for (const int count : {1, 0, 2, 0, 1, 0, 0, 1})
    facets["d"]["buckets"].push_back({{"from", 86'400'000 * day++}, {"count", count}});
  const Json all = (*aggregations_json(*read, facets, false))["d"]["buckets"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["key"], 2 * 86'400'000);
  EXPECT_EQ(all[2]["key"], 4 * 86'400'000);
}

TEST(AnAggregation, IsRefusedWhereAMemberWouldBeForgotten) {
  AggregationReading reading;
  for (const char* const json :
       {R"({"a":{"value_count":{"field":"_id"}}})", R"({"a":{"cardinality":{"field":"_index"}}})",
        R"({"a":{"filter":{"match_all":{}},"aggs":{"b":{"terms":{"field":"_index"}}}}})",
        R"({"a":{"terms":{"field":"_index","include":"x"}}})", R"({"a":{"stats":{"field":"n","format":"%"}}})",
        R"({"a":{"cardinality":{"field":"n","format":"0.0"}}})", R"({"a":{"avg":{"field":"n","other":1}}})",
        R"({"a":{"string_stats":{"field":"tag","show_distribution":true}}})",
        R"({"a":{"terms":{"field":"tag","shard_min_doc_count":5}}})",
        R"({"a":{"terms":{"field":"tag"},"aggs":{"b":{"terms":{"field":"tag","min_doc_count":0}}}}})",
        R"({"a":{"composite":{"sources":[{"x":{"terms":{"field":"none","missing_bucket":true}}}]}}})"})
    EXPECT_EQ(reading.read(json).error().status, 501) << json;
  for (const char* const json :
       {R"({"a":{"terms":{"field":"tag","min_doc_count":-1}}})",
        R"({"a":{"terms":{"field":"tag"},"aggs":{"b":{"composite":{"sources":[{"x":{"terms":{"field":"tag"}}}]}}}}})",
        R"({"a":{"composite":{"sources":[{"x":{"terms":{"field":"tag"}}},{"x":{"terms":{"field":"n"}}}]}}})",
        R"({"a":{"composite":{"sources":[{"x":{"terms":{"field":"tag"}}}],"after":{"x":"a","y":1}}}})",
        R"({"a":{"multi_terms":{"terms":[{"field":"tag"},{"field":"n"}],"order":{"none":"asc"}}}})",
        R"({"h":{"histogram":{"field":"n","interval":1}},"m":{"avg_bucket":{"buckets_path":"h>none"}}})",
        R"({"t":{"terms":{"field":"tag"},"aggs":{"s":{"bucket_sort":{"sort":["none"]}}}}})",
        R"({"t":{"terms":{"field":"tag"},"aggs":{"s":{"derivative":{"buckets_path":"_count"}}}}})",
        R"({"h":{"histogram":{"field":"n","interval":1,"min_doc_count":1},
           "aggs":{"s":{"cumulative_sum":{"buckets_path":"_count"}}}}})",
        R"({"f":{"filter":{"match_all":{}},"aggs":{"s":{"bucket_sort":{"size":1}}}}})",
        R"({"c":{"cumulative_sum":{"buckets_path":"_count"}}})"})
    EXPECT_EQ(reading.read(json).error().status, 400) << json;
}

TEST(AnAggregation, OfDocumentsWithoutAFieldThatTheIndexLacksIsOfAll) {
  AggregationReading reading;
  const auto read = reading.read(R"({"m":{"missing":{"field":"no"}}})");
  ASSERT_TRUE(read);
  ASSERT_TRUE(facets_of(*read));
  EXPECT_EQ(*aggregations_json(*read, Json::parse(R"({"m":{"count":7}})"), false),
            Json::parse(R"({"m":{"doc_count":7}})"));
  const auto ranges = reading.read(R"({"r":{"range":{"field":"no","ranges":[{"to":1}]}}})");
  ASSERT_TRUE(ranges);
  EXPECT_TRUE(ranges->front().facet.is_null());
  EXPECT_EQ(*aggregations_json(*ranges, Json::object(), false),
            Json::parse(R"({"r":{"buckets":[{"key":"*-1.0","to":1.0,"doc_count":0}]}})"));
}

TEST(APercentile, OfFewDocumentsLiesBetweenTheirValues) {
  AggregationReading reading;
  reading.scope.documents = 10'000;
  const auto read = reading.read(R"({"p":{"percentiles":{"field":"n","percents":[0,"25",50]}}})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->front().facet.contains("values"));
  const Json counted = Json::parse(R"({"p":{"other":0,"buckets":[{"value":1,"count":2},{"value":4,"count":2}]}})");
  EXPECT_EQ((*aggregations_json(*read, counted, false))["p"]["values"],
            Json::parse(R"({"0.0":1.0,"25.0":1.0,"50.0":2.5})"));
  EXPECT_EQ(reading.read(R"({"p":{"percentiles":{"field":"n","hdr":{}}}})").error().status, 501);
  EXPECT_TRUE(reading.read(R"({"p":{"percentiles":{"field":"d","format":"yyyy"}}})"));
  EXPECT_EQ(reading.read(R"({"p":{"percentiles":{"field":"n","format":"0.0"}}})").error().status, 501);
  reading.scope.documents = 10'001;
  EXPECT_TRUE(reading.read(R"({"p":{"percentiles":{"field":"n"}}})")->front().facet.contains("percentiles"));
}

TEST(AnAggregation, IsRefusedWhereElasticsearchRefuses) {
  AggregationReading reading;
  for (const char* const body : {R"({"t":{"terms":{"field":"tag","include":"x.*","exclude":["y"]}}})",
                                 R"({"h":{"histogram":{"field":"no","interval":0}}})",
                                 R"({"t":{"terms":{"field":"tag"},"aggs":{"m":{"max":{"field":"n"}}}},
                                     "s":{"stats_bucket":{"buckets_path":"t>m.avg"}}})",
                                 R"({"t":{"terms":{"field":"tag"},"aggs":{"m":{"max":{"field":"n"}},
                                     "s":{"bucket_sort":{"sort":[{"m":{"order":"up"}}]}}}}})",
                                 R"({"t":{"terms":{"field":"tag"},"aggs":{"m":{"max":{"field":"n"}},
                                     "s":{"bucket_sort":{"sort":[{"m":{"gap":1}}]}}}}})"})
    EXPECT_EQ(reading.read(body).error().status, 400) << body;
  EXPECT_TRUE(
      reading.read(R"({"t":{"terms":{"field":"tag","size":3.5}},"h":{"histogram":{"field":"n","interval":"2"}}})"));
}

TEST(AnAggregation, OverFiltersWithoutNamesTellsTheirNumbers) {
  AggregationReading reading;
  const auto read = reading.read(R"({"f":{"filters":{"filters":[{"match_all":{}},{"match_all":{}}]}},
      "m":{"max_bucket":{"buckets_path":"f>_count"}}})");
  ASSERT_TRUE(read);
  const Json counted = Json::parse(R"({"f":{"buckets":[{"name":"0","count":1},{"name":"1","count":5}]}})");
  EXPECT_EQ((*aggregations_json(*read, counted, false))["m"], Json::parse(R"({"value":5.0,"keys":["1"]})"));
}

TEST(APageOfTuples, OfAFieldThatTheIndexLacksIsEmpty) {
  AggregationReading reading;
  const auto read =
      reading.read(R"({"c":{"composite":{"sources":[{"x":{"terms":{"field":"no"}}}],"after":{"x":"a"}}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ((*aggregations_json(*read, Json::object(), false))["c"], Json::parse(R"({"buckets":[]})"));
}

TEST(APageOfTuples, BeginsBehindValuesOfAnyForm) {
  AggregationReading reading;
  const auto keys = [&](const char* after) {
    const auto read = reading.read(
        (R"({"c":{"composite":{"sources":[{"x":{"terms":{"field":"n"}}}],"after":{"x":)" + std::string(after) + "}}}}")
            .c_str());
    const Json counted =
        Json::parse(R"({"c>0":{"other":0,"buckets":[{"value":11,"count":1},{"value":12,"count":1}]}})");
    const auto shown = aggregations_json(*read, counted, false);
    return shown ? (*shown)["c"]["buckets"].size() : 99;
  };
  EXPECT_EQ(keys("11"), 1u);
  EXPECT_EQ(keys("\"11\""), 1u);
  EXPECT_EQ(keys("\"x\""), 99u);
}

TEST(AnAggregation, ThatFrondLacksIsRefusedByName) {
  AggregationReading reading;
  EXPECT_EQ(reading.read(R"({"a":{"matrix_stats":{}}})").error().reason, "[matrix_stats] aggregation is not supported");
  EXPECT_EQ(reading.read(R"({"a":{"composite":{}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"nosuch":{}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"avg":{"field":"t"}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"terms":{"field":"tag","size":0}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"date_histogram":{"field":"d","calendar_interval":"2y"}}})").error().status, 400);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
