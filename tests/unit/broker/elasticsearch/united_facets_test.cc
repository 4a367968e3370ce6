// What several indices count, as one: indices without fields, and those that cannot be added.
#include "broker/elasticsearch/aggregations/united_facets.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "broker/merge/facet_merge.h"
#include "common/elasticsearch/json_body.h"
#include "common/schema/schema_json.h"
#include "tests/support/collections/manual_clock.h"

namespace frond::broker::elasticsearch {
namespace {

using query::FacetCounts;

struct SummedIndices {
  support::ManualClock clock;
  cluster::TimerQueue timers{clock};
  UnitedFacets facets;

  // Facets as JSON, bound to a schema as JSON; `counts` of each.
  void keep(const char* index, const char* schema, const char* asked, std::vector<FacetCounts> counts) {
    auto made = std::make_shared<schema::Schema>(*schema::parse_schema(schema));
    auto read = *query::bind_facets(*query::read_facets(schema_json(Json::parse(asked)), "facets"), *made, "facets");
    merge::CountedFacets counted{{{}, std::move(read), 1000, made}, {}};
    for (FacetCounts& one : counts) counted.counts.push_back({std::move(one)});
    ASSERT_TRUE(facets.keep({index, 0, std::move(counted)}, false));
  }
  Expected<Json> sum(std::vector<IndexCounts> all = {}) {
    std::optional<Expected<Json>> told;
    facets.add_up(timers, std::move(all), false, [&](Expected<Json> one) {
      if (!one || !one->is_null()) told = std::move(one);
      return true;
    });
    while (!told) {
      clock.advance(std::chrono::milliseconds(1));
      timers.run_due();
    }
    return *std::move(told);
  }
};

FacetCounts words(std::vector<std::pair<std::string, std::uint64_t>> of) {
  FacetCounts counts;
  for (auto& [word, count] : of) {
    counts.words.push_back(std::move(word));
    counts.counts.push_back(count);
    counts.with_value += count;
  }
  return counts;
}

constexpr const char* kTags = R"({"fields":{"tag":{"type":"keyword"}}})";
constexpr const char* kTagsAndNumbers = R"({"fields":{"tag":{"type":"keyword"},"n":{"type":"integer"}}})";

TEST(UnitedFacets, AddBucketsOfIndicesThatLackFields) {
  SummedIndices summed;
  FacetCounts with = words({{"a", 2}, {"c", 1}});
  for (int i = 0; i < 2; ++i) with.nested.push_back({.with_value = 1, .missing = i == 0 ? 1u : 0u, .values = 1});
  summed.keep("numbers", kTagsAndNumbers, R"({"t":{"values":{"field":"tag"},"facets":{"c":{"count":{"field":"n"}}}}})",
              {with});
  summed.keep("tags", kTags, R"({"t":{"values":{"field":"tag"}}})", {words({{"a", 3}, {"b", 4}})});
  const auto sum = summed.sum({{"numbers", 3, {}}, {"tags", 7, {}}, {"neither", 5, {}}});
  ASSERT_TRUE(sum) << sum.error().reason;
  const auto inside = [](int documents, int values) {
    return Json{{"c", {{"documents", documents}, {"values", values}}}};
  };
  EXPECT_EQ(*sum, (Json{{"t",
                         {{"buckets",
                           {{{"value", "a"}, {"count", 5}, {"facets", inside(1, 1)}},
                            {{"value", "b"}, {"count", 4}, {"facets", inside(0, 0)}},
                            {{"value", "c"}, {"count", 1}, {"facets", inside(1, 1)}}}},
                          {"other", 0},
                          {"missing", 5}}}}));
}

TEST(UnitedFacets, CountDocumentsOfAnIndexWithoutTheFieldAsMissing) {
  SummedIndices summed;
  FacetCounts missing;
  missing.missing = 2;
  missing.with_value = 1;
  missing.keys = {0};
  missing.counts = {2};
  summed.keep("tags", kTags, R"({"m":{"missing":{"field":"tag"}}})", {missing});
  const auto sum = summed.sum({{"tags", 3, {}}, {"neither", 5, {}}});
  ASSERT_TRUE(sum) << sum.error().reason;
  EXPECT_EQ((*sum)["m"]["count"], 7);
}

// A range aggregation is one of filters, but for an index that lacks its field.
TEST(UnitedFacets, CountNothingInRangesOfAFieldThatAnIndexLacks) {
  SummedIndices summed;
  summed.keep("numbers", kTagsAndNumbers, R"({"r":{"filters":{"queries":{"low":{"all":{}},"high":{"all":{}}}}}})",
              {{.with_value = 3, .missing = 0, .keys = {0, 1}, .counts = {2, 1}}});
  const auto sum = summed.sum({{"numbers", 3, {}}, {"neither", 5, {}}});
  ASSERT_TRUE(sum) << sum.error().reason;
  EXPECT_NE((*sum)["r"].dump().find("\"count\":2"), std::string::npos) << sum->dump();
  EXPECT_NE((*sum)["r"].dump().find("\"count\":1"), std::string::npos) << sum->dump();
  EXPECT_EQ((*sum)["r"].dump().find("\"count\":5"), std::string::npos) << sum->dump();
}

// What stands in a bucket of documents without the field was not counted by an index that has no such field.
TEST(UnitedFacets, RefuseRangesInsideOfDocumentsWithoutAField) {
  SummedIndices summed;
  FacetCounts missing;
  missing.missing = 1;
  missing.keys = {0};
  missing.counts = {1};
  missing.nested = {{.with_value = 1, .missing = 0, .keys = {0}, .counts = {1}}};
  summed.keep("numbers", kTagsAndNumbers,
              R"({"m":{"missing":{"field":"tag"},"facets":{"r":{"filters":{"queries":{"low":{"all":{}}}}}}}})",
              {missing});
  const auto sum = summed.sum({{"numbers", 1, {}}, {"neither", 5, {}}});
  ASSERT_FALSE(sum);
  EXPECT_NE(sum.error().reason.find("[neither]"), std::string::npos) << sum.error().reason;
}

TEST(UnitedFacets, RefuseAFieldOfTwoTypes) {
  SummedIndices summed;
  summed.keep("tags", kTags, R"({"t":{"distinct":{"field":"tag"}}})", {FacetCounts()});
  summed.keep("numbers", R"({"fields":{"tag":{"type":"integer"}}})", R"({"t":{"distinct":{"field":"tag"}}})",
              {FacetCounts()});
  const auto sum = summed.sum();
  ASSERT_FALSE(sum);
  EXPECT_NE(sum.error().reason.find("[tag]"), std::string::npos) << sum.error().reason;
  EXPECT_NE(sum.error().reason.find("[tags]"), std::string::npos) << sum.error().reason;
}

TEST(UnitedFacets, RefuseFieldsInEachOtherThatNoIndexHasAllOf) {
  SummedIndices summed;
  summed.keep("numbers", kTagsAndNumbers, R"({"t":{"values":{"field":"tag"},"facets":{"c":{"count":{"field":"n"}}}}})",
              {words({})});
  summed.keep("dates", R"({"fields":{"tag":{"type":"keyword"},"d":{"type":"date"}}})",
              R"({"t":{"values":{"field":"tag"},"facets":{"e":{"count":{"field":"d"}}}}})", {words({})});
  const auto sum = summed.sum();
  ASSERT_FALSE(sum);
  EXPECT_NE(sum.error().reason.find("[t]"), std::string::npos) << sum.error().reason;
}

// "before" counts all documents of a bucket as missing, since it has no such field, and comes first by its name.
TEST(UnitedFacets, AreTheSameInWhateverOrderIndicesAnswer) {
  const auto sum_in_order = [](bool reversed) {
    SummedIndices summed;
    const auto bucket_of_three = [](FacetCounts inside) {
      FacetCounts counts = words({{"x", 3}});
      counts.nested.push_back(std::move(inside));
      return counts;
    };
    const auto keep_lacking = [&] {
      summed.keep("before", kTags, R"({"t":{"values":{"field":"tag"},"facets":{"m":{"filter":{"query":{"all":{}}}}}}})",
                  {bucket_of_three({.with_value = 3, .missing = 0, .keys = {0}, .counts = {3}})});
    };
    const auto keep_having = [&] {
      summed.keep("having", kTagsAndNumbers,
                  R"({"t":{"values":{"field":"tag"},"facets":{"m":{"missing":{"field":"n"}}}}})",
                  {bucket_of_three({.with_value = 2, .missing = 1, .keys = {0}, .counts = {1}})});
    };
    if (!reversed) keep_lacking();
    keep_having();
    if (reversed) keep_lacking();
    return summed.sum();
  };
  for (const bool reversed : {false, true}) {
    const auto sum = sum_in_order(reversed);
    ASSERT_TRUE(sum) << sum.error().reason;
    EXPECT_EQ((*sum)["t"]["buckets"][0]["facets"]["m"]["count"], 4) << sum->dump();
  }
}

TEST(UnitedFacets, AreBoundedWithWhatAnIndexLacks) {
  SummedIndices summed;
  std::string fields = R"("n":{"type":"integer"})", inside;
  for (int i = 0; i < 15; ++i) {
    const std::string name = "m" + std::to_string(i);
    fields += ",\"" + name + R"(":{"type":"integer"})";
    inside += (i > 0 ? ",\"" : "\"") + name + R"(":{"count":{"field":")" + name + "\"}}";
  }
  FacetCounts many;
  for (std::uint64_t i = 0; i < 60'000; ++i) many.keys.push_back(i);
  many.counts.assign(many.keys.size(), 1);
  many.with_value = many.keys.size();
  summed.keep("many", R"({"fields":{"n":{"type":"integer"}}})", R"({"t":{"values":{"field":"n"}}})", {many});
  summed.keep("wide", ("{\"fields\":{" + fields + "}}").c_str(),
              (R"({"t":{"values":{"field":"n"},"facets":{)" + inside + "}}}").c_str(), {FacetCounts()});
  const auto sum = summed.sum();
  ASSERT_FALSE(sum);
  EXPECT_NE(sum.error().reason.find("256 MiB"), std::string::npos) << sum.error().reason;
}

TEST(UnitedFacets, AreBoundedInAll) {
  SummedIndices summed;
  merge::CountedFacets counted;
  FacetCounts large;
  large.keys.resize(merge::kMaxFacetBytes / sizeof(std::uint64_t) / 2);
  counted.counts = {{large}};
  EXPECT_TRUE(summed.facets.keep({"a", 0, counted}, false));
  large.keys.resize(large.keys.size() + 1);
  counted.counts = {{std::move(large)}};
  EXPECT_FALSE(summed.facets.keep({"b", 0, std::move(counted)}, true));
}

}  // namespace
}  // namespace frond::broker::elasticsearch
