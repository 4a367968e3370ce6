// Counts of parts, added; and the buckets of numbers and dates.
#include "common/query/facet_counts.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "common/schema/date.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

using schema::FieldType;

Facet facet(std::string_view text) {
  return bind_facets(*parse_facets(text), support::query_schema(), "facets")->front();
}
std::uint64_t key(const schema::Value& value, FieldType type = FieldType::kInteger) {
  return schema::ordering_key(type, value);
}

FacetCounts of_words(std::vector<std::string> words, std::vector<std::uint64_t> counts, std::uint64_t missing = 0) {
  FacetCounts made;
  made.with_value = 10;
  made.missing = missing;
  made.words = std::move(words);
  made.counts = std::move(counts);
  return made;
}

TEST(FacetCounts, AddUpByBucket) {
  const Facet tag = facet("tag"), distinct = facet("year:distinct"), stats = facet("price:stats");
  FacetCounts sum;
  ASSERT_TRUE(add(tag, of_words({"b", "d"}, {1, 2}, 3), 4, sum));
  ASSERT_TRUE(add(tag, of_words({"a", "d", "e"}, {4, 5, 6}, 1), 4, sum));
  auto want = of_words({"a", "b", "d", "e"}, {4, 1, 7, 6}, 4);
  want.with_value = 20;
  EXPECT_EQ(sum, want);
  EXPECT_TRUE(add(tag, {}, 4, sum));
  EXPECT_EQ(sum, want);
  const auto refused = add(tag, of_words({"c"}, {1}), 4, sum);
  ASSERT_EQ(refused.error().code(), Code::kInvalid);
  EXPECT_EQ(refused.error().message(), "facet 'tag' has more than 4 different buckets");

  FacetCounts years, more;
  more.keys = {key(std::int64_t{3}), key(std::int64_t{5})};
  ASSERT_TRUE(add(distinct, more, 10, years));
  more.keys = {key(std::int64_t{4}), key(std::int64_t{5})};
  ASSERT_TRUE(add(distinct, more, 10, years));
  EXPECT_EQ(years.keys.size(), 3);
  EXPECT_TRUE(years.counts.empty());

  FacetCounts prices, one;
  for (const double price : {2.5, -1.0}) {
    one = {};
    one.with_value = one.values = 1;
    one.least = one.greatest = key(price, FieldType::kFloat);
    one.sum.add(price);
    ASSERT_TRUE(add(stats, one, 0, prices));
  }
  EXPECT_EQ(prices.least, key(-1.0, FieldType::kFloat));
  EXPECT_EQ(prices.greatest, key(2.5, FieldType::kFloat));
  EXPECT_EQ(prices.sum.rounded(), 1.5);
  EXPECT_TRUE(check(prices, stats, support::query_schema()));
}

TEST(FacetCounts, OfOthersAreChecked) {
  const auto problem = [](const FacetCounts& counts, std::string_view text) {
    const auto checked = check(counts, facet(text), support::query_schema());
    return checked ? "" : checked.error().message();
  };
  EXPECT_EQ(problem(of_words({"a", "b"}, {1, 2}), "tag"), "");
  EXPECT_EQ(problem({}, "price:stats"), "");
  EXPECT_NE(problem(of_words({"a", "b"}, {1, 2}), "year"), "");            // another type
  EXPECT_NE(problem(of_words({"b", "a"}, {1, 2}), "tag"), "");             // not ascending
  EXPECT_NE(problem(of_words({"a", "a"}, {1, 2}), "tag"), "");             // twice
  EXPECT_NE(problem(of_words({"a"}, {0}), "tag"), "");                     // empty
  EXPECT_NE(problem(of_words({"a"}, {11}), "tag"), "");                    // more than there are
  EXPECT_NE(problem(of_words({"a"}, {1, 2}), "tag"), "");                  // no bucket of a count
  EXPECT_NE(problem(of_words({"a"}, {1}), "tag:distinct"), "");            // counted
  EXPECT_NE(problem(of_words({std::string(1025, 'a')}, {1}), "tag"), "");  // too long
  FacetCounts counts;
  counts.with_value = 3;
  counts.keys = {0, 2};
  counts.counts = {1, 3};
  EXPECT_EQ(problem(counts, "year:[1,2]"), "");
  EXPECT_NE(problem(counts, "year:[1]"), "");
  EXPECT_NE(problem(counts, "year:stats"), "");
  EXPECT_NE(problem(counts, "open"), "");               // 2 is neither true nor false
  EXPECT_NE(problem(counts, "price:1:histogram"), "");  // NaN
  counts.values = 1;
  EXPECT_NE(problem(counts, "year"), "");
}

std::string start(std::string_view unit, std::string_view date) {
  const auto ms = schema::parse_date(date)->first_ms;
  const auto bucket = bucket_key(facet("published:" + std::string(unit)), FieldType::kDate, key(ms));
  return schema::text_of(FieldType::kDate, schema::value_of_key(FieldType::kDate, bucket));
}

TEST(FacetBuckets, OfDatesBeginWithTheCalendars) {
  EXPECT_EQ(start("minute", "2024-02-29T23:59:59.999Z"), "2024-02-29T23:59:00Z");
  EXPECT_EQ(start("hour", "1969-12-31T23:59:59Z"), "1969-12-31T23:00:00Z");
  EXPECT_EQ(start("day", "1969-12-31T23:59:59Z"), "1969-12-31T00:00:00Z");
  EXPECT_EQ(start("week", "2024-03-03T12:00:00Z"), "2024-02-26T00:00:00Z");  // a Sunday
  EXPECT_EQ(start("week", "2024-03-04"), "2024-03-04T00:00:00Z");
  EXPECT_EQ(start("week", "1970-01-01"), "1969-12-29T00:00:00Z");
  EXPECT_EQ(start("month", "2024-02-29T23:59:59Z"), "2024-02-01T00:00:00Z");
  EXPECT_EQ(start("quarter", "1900-12-31"), "1900-10-01T00:00:00Z");
  EXPECT_EQ(start("year", "2000-12-31T23:59:59Z"), "2000-01-01T00:00:00Z");
  EXPECT_EQ(start("year", "0000-03-01"), "0000-01-01T00:00:00Z");
  for (std::int64_t day = -700'000; day < 100'000; day += 7) {  // against the calendar of the C++ library
    const std::string date = schema::date_text(day * 86'400'000).substr(0, 10);
    ASSERT_EQ(start("month", date), date.substr(0, 8) + "01T00:00:00Z");
  }
}

TEST(FacetBuckets, HoldTheirValuesInOrder) {
  std::mt19937_64 random(3);
  const std::string facets[] = {"year:1:histogram",      "year:7:histogram",       "price:0.1:histogram",
                                "price:1e300:histogram", "price:1e-300:histogram", "published:week",
                                "published:month",       "published:year"};
  for (const std::string& text : facets) {
    const Facet one = facet(text);
    const FieldType type = support::query_schema().find(one.field)->type;
    const auto any_key = [&] {
      const auto whole = static_cast<std::int64_t>(random()) >> random() % 64;
      return type == FieldType::kFloat ? key(static_cast<double>(whole) * 0.1, type) : key(whole, type);
    };
    for (int i = 0; i < 2000; ++i) {
      const auto a = any_key(), b = any_key();
      EXPECT_LE(bucket_key(one, type, a), a) << text;
      EXPECT_LE(bucket_key(one, type, std::min(a, b)), bucket_key(one, type, std::max(a, b))) << text;
    }
  }
  using Integers = std::numeric_limits<std::int64_t>;
  for (const char* text : {"published:week", "published:year", "published:minute"})
    EXPECT_EQ(bucket_key(facet(text), FieldType::kDate, key(Integers::min())), 0) << text;
  EXPECT_EQ(bucket_key(facet("year:10:histogram"), FieldType::kInteger, key(std::int64_t{-1})), key(std::int64_t{-10}));
  EXPECT_EQ(bucket_key(facet("price:0.25:histogram"), FieldType::kFloat, key(0.5, FieldType::kFloat)),
            key(0.5, FieldType::kFloat));
}

}  // namespace
}  // namespace frond::query
