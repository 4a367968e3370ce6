// Aggregations as facets, and what was counted.
#include "broker/elasticsearch/aggregations.h"

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
  EXPECT_EQ(read->front().facet,
            Json::parse(
                R"({"values":{"field":"tag","size":3,"order":"m.mean:desc"},"facets":{"m":{"stats":{"field":"n"}}}})"));
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
