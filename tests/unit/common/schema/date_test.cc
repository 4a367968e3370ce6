// Dates: which texts are some, and all the milliseconds that they stand for.
#include "common/schema/date.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace frond::schema {
namespace {

constexpr std::int64_t kDay = 86'400'000;

std::string period(std::string_view text) {
  const auto found = parse_date(text);
  return found ? date_text(found->first_ms) + " " + date_text(found->last_ms) : "none";
}

TEST(Date, StandsForAllItsMilliseconds) {
  EXPECT_EQ(parse_date("1970-01-01"), (DatePeriod{0, kDay - 1}));
  EXPECT_EQ(parse_date("1969-12-31T23:59:59.999Z"), (DatePeriod{-1, -1}));
  EXPECT_EQ(period("2020"), "2020-01-01T00:00:00Z 2020-12-31T23:59:59.999Z");
  EXPECT_EQ(period("2020-02"), "2020-02-01T00:00:00Z 2020-02-29T23:59:59.999Z");
  EXPECT_EQ(period("9999-12"), "9999-12-01T00:00:00Z 9999-12-31T23:59:59.999Z");
  EXPECT_EQ(period("2020-12-31T10:20"), "2020-12-31T10:20:00Z 2020-12-31T10:20:59.999Z");
  EXPECT_EQ(period("2020-12-31T10:20:30"), "2020-12-31T10:20:30Z 2020-12-31T10:20:30.999Z");
  EXPECT_EQ(period("2020-12-31t10:20:30.5z"), "2020-12-31T10:20:30.500Z 2020-12-31T10:20:30.500Z");
  EXPECT_EQ(period("2020-12-31 10:20:30.123456+01:30"), "2020-12-31T08:50:30.123Z 2020-12-31T08:50:30.123Z");
  EXPECT_EQ(period("2020-12-31T23:00:00-0200"), "2021-01-01T01:00:00Z 2021-01-01T01:00:00.999Z");
  EXPECT_EQ(period("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00Z 2017-01-01T00:00:00.999Z");
  EXPECT_EQ(period("0000"), "0000-01-01T00:00:00Z 0000-12-31T23:59:59.999Z");
}

TEST(Date, IsMillisecondsIfItHasNotFourDigits) {
  EXPECT_EQ(parse_date("1577836800000"), (DatePeriod{1577836800000, 1577836800000}));
  EXPECT_EQ(parse_date("-1"), (DatePeriod{-1, -1}));
  EXPECT_EQ(parse_date("20201"), (DatePeriod{20201, 20201}));
}

TEST(Date, IsNothingElse) {
  for (const std::string_view text : {"",
                                      "x",
                                      "2020-13",
                                      "2020-00",
                                      "2020-02-30",
                                      "2021-02-29",
                                      "2020-1-1",
                                      "2020-01-01T",
                                      "2020-01-01T25:00",
                                      "2020-01-01T10:60",
                                      "2020-01-01T10:00:61",
                                      "2020-01-01T10:00:00.",
                                      "2020-01-01T10:00:00+1",
                                      "2020-01-01T10:00:00Zx",
                                      "2020-01-01x",
                                      "2020-",
                                      "99999999999999999999",
                                      "1.5",
                                      "+5",
                                      " 2020"})
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
}

TEST(Date, ComesBackFromItsText) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto ms = static_cast<std::int64_t>(random()) >> (i % 40);
    const auto found = parse_date(date_text(ms));
    ASSERT_TRUE(found) << ms;
    EXPECT_EQ(found->first_ms, ms) << date_text(ms);
  }
  for (const std::int64_t ms : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                std::int64_t{-62167219200001}, std::int64_t{253402300800000}})
    EXPECT_EQ(parse_date(date_text(ms)), (DatePeriod{ms, ms}));
}

}  // namespace
}  // namespace frond::schema
