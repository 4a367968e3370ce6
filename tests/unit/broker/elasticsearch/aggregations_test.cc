// Aggregations as facets, and what was counted.
#include "broker/elasticsearch/aggregations.h"

#include <gtest/gtest.h>

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

TEST(AnAggregation, ThatFrondLacksIsRefusedByName) {
  AggregationReading reading;
  EXPECT_EQ(reading.read(R"({"a":{"composite":{}}})").error().reason, "[composite] aggregation is not supported");
  EXPECT_EQ(reading.read(R"({"a":{"nosuch":{}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"avg":{"field":"t"}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"terms":{"field":"tag","size":0}}})").error().status, 400);
  EXPECT_EQ(reading.read(R"({"a":{"date_histogram":{"field":"d","calendar_interval":"2y"}}})").error().status, 400);
}

}  // namespace
}  // namespace frond::broker::elasticsearch
