// Counts of parts, added; and the buckets of numbers and dates.
#include "common/query/facets/facet_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "common/query/facets/facet_buckets.h"
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
  add(tag, of_words({"b", "d"}, {1, 2}, 3), sum);
  add(tag, of_words({"a", "d", "e"}, {4, 5, 6}, 1), sum);
  auto want = of_words({"a", "b", "d", "e"}, {4, 1, 7, 6}, 4);
  want.with_value = 20;
  EXPECT_EQ(sum, want);
  add(tag, {}, sum);
  EXPECT_EQ(sum, want);

  FacetCounts years, more;
  more.keys = {key(std::int64_t{3}), key(std::int64_t{5})};
  add(distinct, more, years);
  more.keys = {key(std::int64_t{4}), key(std::int64_t{5})};
  add(distinct, more, years);
  EXPECT_EQ(years.keys.size(), 3);
  EXPECT_TRUE(years.counts.empty());

  FacetCounts prices, one;
  for (const double price : {2.5, -1.0}) {
    one = {};
    one.with_value = one.values = 1;
    one.least = one.greatest = key(price, FieldType::kFloat);
    one.sum.add(price);
    add(stats, one, prices);
  }
  EXPECT_EQ(prices.least, key(-1.0, FieldType::kFloat));
  EXPECT_EQ(prices.greatest, key(2.5, FieldType::kFloat));
  EXPECT_EQ(prices.sum.rounded(), 1.5);
  EXPECT_TRUE(check(prices, stats, support::query_schema()));
}

Facet facet_of_json(std::string_view json) {
  return bind_facets(*read_facets(*schema::parse_json(json), "facets"), support::query_schema(), "facets")->front();
}

TEST(FacetCounts, AddUpInBuckets) {
  const Facet by_tag = facet_of_json(
      R"({"t":{"values":{"field":"tag"},"facets":{"y":{"values":{"field":"year"}},"n":{"count":{"field":"lang"}}}}})");
  const auto of_years = [](std::uint64_t with_value, std::vector<std::int64_t> years) {
    FacetCounts made{.with_value = with_value};
    for (const std::int64_t year : years) made.keys.push_back(key(year));
    made.counts.assign(years.size(), with_value);
    return made;
  };
  const auto of_values = [](std::uint64_t documents) {
    return FacetCounts{.with_value = documents, .values = documents};
  };
  FacetCounts one = of_words({"a", "c"}, {1, 2}), other = of_words({"b", "c"}, {3, 4});
  one.nested = {of_years(1, {5}), of_values(1), of_years(2, {6, 7}), of_values(2)};
  other.nested = {of_years(3, {5}), of_values(3), of_years(4, {7}), of_values(4)};
  FacetCounts sum = one;
  add(by_tag, other, sum);
  FacetCounts want = of_words({"a", "b", "c"}, {1, 3, 6});
  want.with_value = 20;
  FacetCounts years = of_years(6, {6, 7});
  years.counts = {2, 6};
  want.nested = {of_years(1, {5}), of_values(1), of_years(3, {5}), of_values(3), years, of_values(6)};
  EXPECT_EQ(sum, want);
  EXPECT_TRUE(check(sum, by_tag, support::query_schema()));
  sum.nested[2].missing = 1;  // more than the bucket has
  EXPECT_EQ(check(sum, by_tag, support::query_schema()), Code::kCorrupt);
  sum.nested.pop_back();
  EXPECT_EQ(check(sum, by_tag, support::query_schema()), Code::kCorrupt);
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

// The next one begins where this one ends, also where multiples of the interval are rounded.
TEST(FacetBuckets, OfFloatsFollowEachOther) {
  std::mt19937_64 random(5);
  for (const double interval : {0.1, 0.3, 1.0 / 3, 7.0, 1e-300, 1e300}) {
    Facet of = facet("price:1:histogram");
    of.interval = interval;
    const auto bucket_of = [&](double value) {
      return bucket_key(of, FieldType::kFloat, key(value, FieldType::kFloat));
    };
    for (int i = 0; i < 20'000; ++i) {
      const auto multiple = static_cast<double>(static_cast<std::int64_t>(random()) >> (13 + random() % 50));
      const double value = multiple * interval;
      if (!std::isfinite(value)) continue;
      const std::uint64_t bucket = bucket_of(value);
      const auto next = next_bucket(of, FieldType::kFloat, bucket);
      if (!next) continue;
      const double from = std::get<double>(schema::value_of_key(FieldType::kFloat, *next));
      ASSERT_EQ(bucket_of(from), *next) << interval << " " << value;
      ASSERT_EQ(bucket_of(std::nextafter(from, -INFINITY)), bucket) << interval << " " << value;
    }
  }
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

std::string start_of(const std::string& members, std::string_view date) {
  const Facet dates = facet_of_json(R"({"d":{"dates":{"field":"published",)" + members + "}}}");
  const auto bucket = bucket_key(dates, FieldType::kDate, key(schema::parse_date(date)->first_ms));
  return schema::text_of(FieldType::kDate, schema::value_of_key(FieldType::kDate, bucket));
}

TEST(FacetBuckets, OfDatesBeginInTheirZone) {
  const std::string berlin = R"("zone":"Europe/Berlin","interval":)";
  EXPECT_EQ(start_of(berlin + R"("day")", "2024-06-01T21:59:59Z"), "2024-05-31T22:00:00Z");
  EXPECT_EQ(start_of(berlin + R"("day")", "2024-06-01T22:00:00Z"), "2024-06-01T22:00:00Z");
  EXPECT_EQ(start_of(berlin + R"("month")", "2024-04-15"), "2024-03-31T22:00:00Z");
  EXPECT_EQ(start_of(berlin + R"("year")", "2024-07-01"), "2023-12-31T23:00:00Z");
  EXPECT_EQ(start_of(berlin + R"("day")", "2099-07-01T12:00:00Z"), "2099-06-30T22:00:00Z");
  // An hour that clocks show twice, 02:00 to 03:00, is two buckets, but days begin once.
  EXPECT_EQ(start_of(berlin + R"("hour")", "2024-10-27T00:30:00Z"), "2024-10-27T00:00:00Z");
  EXPECT_EQ(start_of(berlin + R"("hour")", "2024-10-27T01:30:00Z"), "2024-10-27T01:00:00Z");
  EXPECT_EQ(start_of(R"("zone":"America/Havana","interval":"day")", "2024-11-03T05:30:00Z"), "2024-11-03T04:00:00Z");
  EXPECT_EQ(start_of(R"("zone":"America/St_Johns","interval":"day")", "2010-11-07T03:00:00Z"), "2010-11-07T02:30:00Z");
  // Clocks went from 00:00 to 01:00, and over a whole day.
  EXPECT_EQ(start_of(R"("zone":"America/Havana","interval":"day")", "2024-03-10T12:00:00Z"), "2024-03-10T05:00:00Z");
  EXPECT_EQ(start_of(R"("zone":"Pacific/Apia","interval":"day")", "2011-12-30T10:30:00Z"), "2011-12-30T10:00:00Z");
  EXPECT_EQ(start_of(R"("zone":"Australia/Lord_Howe","interval":"hour")", "2024-04-06T15:10:00Z"),
            "2024-04-06T14:00:00Z");
  EXPECT_EQ(start_of(R"("zone":"+05:30","interval":"day")", "2024-01-01T20:00:00Z"), "2024-01-01T18:30:00Z");
  EXPECT_EQ(start_of(R"("interval":"day","offset":21600000)", "2024-01-01T05:00:00Z"), "2023-12-31T06:00:00Z");
  EXPECT_EQ(start_of(R"("interval":90000)", "1970-01-01T00:02:00Z"), "1970-01-01T00:01:30Z");
  EXPECT_EQ(start_of(R"("interval":90000,"offset":-1000)", "1970-01-01T00:02:59Z"), "1970-01-01T00:02:59Z");
}

TEST(FacetBuckets, FollowEachOther) {
  std::mt19937_64 random(5);
  for (const char* const zone : {"Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "America/St_Johns", "UTC"})
    for (const char* const interval :
         {R"("hour")", R"("day")", R"("week")", R"("month")", R"("quarter")", R"("year")", "5400000"}) {
      const Facet dates = facet_of_json(R"({"d":{"dates":{"field":"published","offset":600000,"zone":")" +
                                        std::string(zone) + R"(","interval":)" + interval + "}}}");
      const auto bucket_of = [&](std::uint64_t of) { return bucket_key(dates, FieldType::kDate, of); };
      for (int i = 0; i < 200; ++i) {
        const auto at = key(static_cast<std::int64_t>(random() % 4'000'000'000'000));
        const auto bucket = bucket_of(at), next = next_bucket(dates, FieldType::kDate, bucket).value_or(0);
        ASSERT_GT(next, at) << zone << interval;
        ASSERT_EQ(bucket_of(bucket), bucket);
        ASSERT_EQ(bucket_of(next), next);
        ASSERT_EQ(bucket_of(next - 1), bucket);
        const auto steps = static_cast<std::int64_t>(date_steps(dates, bucket, next));
        for (const std::uint64_t begin : {bucket, next})
          ASSERT_EQ(std::get<std::int64_t>(schema::value_of_key(FieldType::kDate, begin)) % steps, 0)
              << zone << interval;
      }
    }
  const Facet tens = facet("year:10:histogram"), quarters = facet("price:0.25:histogram");
  EXPECT_EQ(next_bucket(tens, FieldType::kInteger, key(std::int64_t{-10})), key(std::int64_t{0}));
  EXPECT_EQ(next_bucket(tens, FieldType::kInteger, key(INT64_MAX - 7)), std::nullopt);
  EXPECT_EQ(next_bucket(quarters, FieldType::kFloat, key(-0.25, FieldType::kFloat)), key(0.0, FieldType::kFloat));
  EXPECT_EQ(next_bucket(quarters, FieldType::kFloat, key(1e300, FieldType::kFloat)), std::nullopt);
}

TEST(FacetBuckets, OfPercentilesAreCloseToTheirValues) {
  const Facet years = facet_of_json(R"({"p":{"percentiles":{"field":"year","percents":[50]}}})");
  const Facet prices = facet_of_json(R"({"p":{"percentiles":{"field":"price","percents":[50]}}})");
  for (std::int64_t i = -255; i <= 255; ++i)
    ASSERT_EQ(value_in(FieldType::kInteger, bucket_key(years, FieldType::kInteger, key(i))), schema::Value(i));
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 200) - 100);
    const auto bucket = bucket_key(prices, FieldType::kFloat, key(value, FieldType::kFloat));
    ASSERT_NEAR(std::get<double>(value_in(FieldType::kFloat, bucket)), value, std::abs(value) / 256);
  }
  EXPECT_EQ(value_in(FieldType::kFloat, bucket_key(prices, FieldType::kFloat, key(0.0, FieldType::kFloat))),
            schema::Value(0.0));
  const auto greatest = bucket_key(years, FieldType::kInteger, key(INT64_MAX));
  EXPECT_EQ(value_in(FieldType::kInteger, greatest), schema::Value(INT64_MAX));
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
