// Values of columns: what is one, their order, their text.
#include "common/schema/value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace frond::schema {
namespace {

using Limits64 = std::numeric_limits<std::int64_t>;

std::string problem(FieldType type, const Value& raw, Reading reading) {
  const auto value = typed_value(type, raw, reading);
  return value ? "none" : value.error().message();
}

TEST(Value, HasTheTypeOfJsonInDocuments) {
  EXPECT_EQ(typed_value(FieldType::kInteger, std::int64_t{5}, Reading::kStrict), Value(std::int64_t{5}));
  EXPECT_EQ(typed_value(FieldType::kFloat, std::int64_t{5}, Reading::kStrict), Value(5.0));
  EXPECT_EQ(typed_value(FieldType::kFloat, -0.0, Reading::kStrict), Value(0.0));
  EXPECT_FALSE(std::signbit(std::get<double>(*typed_value(FieldType::kFloat, -0.0, Reading::kStrict))));
  EXPECT_EQ(typed_value(FieldType::kDate, "1970-01-02", Reading::kStrict), Value(std::int64_t{86'400'000}));
  EXPECT_EQ(typed_value(FieldType::kDate, std::int64_t{7}, Reading::kStrict), Value(std::int64_t{7}));
  EXPECT_EQ(typed_value(FieldType::kBoolean, true, Reading::kStrict), Value(true));
  EXPECT_EQ(typed_value(FieldType::kKeyword, "", Reading::kStrict), Value(""));

  EXPECT_EQ(problem(FieldType::kInteger, "5", Reading::kStrict), "'5' is not an integer of 64 bits");
  EXPECT_EQ(problem(FieldType::kInteger, 5.0, Reading::kStrict), "5.0 is not an integer of 64 bits");
  EXPECT_EQ(problem(FieldType::kFloat, "x", Reading::kStrict), "'x' is not a finite number");
  EXPECT_EQ(problem(FieldType::kBoolean, std::int64_t{1}, Reading::kStrict), "1 is not true or false");
  EXPECT_EQ(problem(FieldType::kKeyword, std::int64_t{1}, Reading::kStrict), "1 is not a string");
  EXPECT_EQ(problem(FieldType::kDate, 1.5, Reading::kStrict),
            "1.5 is not a date (2020-12-31, 2020-12-31T23:59:59Z, 2020-12, 2020 or milliseconds since 1970)");
  EXPECT_EQ(problem(FieldType::kKeyword, std::string(1025, 'x'), Reading::kStrict),
            "'" + std::string(70, 'x') + "…' has 1025 bytes, and a keyword at most 1024");
}

TEST(Value, MayBeTextInQueries) {
  const auto lenient = [](FieldType type, const Value& raw) { return typed_value(type, raw, Reading::kLenient); };
  EXPECT_EQ(lenient(FieldType::kInteger, "-9223372036854775808"), Value(Limits64::min()));
  EXPECT_EQ(lenient(FieldType::kInteger, "+5"), Value(std::int64_t{5}));
  EXPECT_EQ(lenient(FieldType::kInteger, 3.0), Value(std::int64_t{3}));
  EXPECT_EQ(lenient(FieldType::kFloat, "1e3"), Value(1000.0));
  EXPECT_EQ(lenient(FieldType::kBoolean, "false"), Value(false));
  EXPECT_EQ(lenient(FieldType::kKeyword, 1.5), Value("1.5"));
  for (const char* text : {"", "5x", "5.5", "9223372036854775808", "++5", "+-5", " 5"})
    EXPECT_EQ(lenient(FieldType::kInteger, text), Code::kInvalid) << text;
  for (const double number : {3.5, 9223372036854775808.0, -1e300, std::nan("")})
    EXPECT_EQ(lenient(FieldType::kInteger, number), Code::kInvalid) << number;
  for (const char* text : {"", "nan", "inf", "1e400", "1x"})
    EXPECT_EQ(lenient(FieldType::kFloat, text), Code::kInvalid) << text;
  EXPECT_EQ(lenient(FieldType::kBoolean, "yes"), Code::kInvalid);
  EXPECT_EQ(interval_of(FieldType::kDate, "1970", Reading::kLenient),
            (Interval{std::int64_t{0}, std::int64_t{31'535'999'999}}));
}

TEST(Value, HasAKeyInItsOrder) {
  std::mt19937_64 random(1);
  const auto number = [&](int i) -> double {
    const double special[] = {0, -0.0, 1, -1, 5e-324, -5e-324, 1e308, -1e308, 0.1};
    if (i % 3 == 0) return special[random() % std::size(special)];
    const auto any = std::bit_cast<double>(random());
    return std::isfinite(any) ? any : 1;
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto a = static_cast<std::int64_t>(random()) >> (i % 64), b = static_cast<std::int64_t>(random()) >> (i % 61);
    ASSERT_EQ(a < b, ordering_key(FieldType::kInteger, a) < ordering_key(FieldType::kInteger, b)) << a << " " << b;
    ASSERT_EQ(value_of_key(FieldType::kDate, ordering_key(FieldType::kDate, a)), Value(a));
    const double x = number(i) + 0.0, y = number(i + 1) + 0.0;
    ASSERT_EQ(x < y, ordering_key(FieldType::kFloat, x) < ordering_key(FieldType::kFloat, y)) << x << " " << y;
    ASSERT_EQ(value_of_key(FieldType::kFloat, ordering_key(FieldType::kFloat, x)), Value(x));
    ASSERT_EQ(typed_value(FieldType::kFloat, text_of(FieldType::kFloat, x), Reading::kLenient), Value(x));
  }
  EXPECT_LT(ordering_key(FieldType::kBoolean, false), ordering_key(FieldType::kBoolean, true));
  EXPECT_EQ(value_of_key(FieldType::kBoolean, 1), Value(true));
  EXPECT_LT(ordering_key(FieldType::kKeyword, "ab"), ordering_key(FieldType::kKeyword, "b"));
  EXPECT_LT(ordering_key(FieldType::kKeyword, "z"), ordering_key(FieldType::kKeyword, "é"));
  EXPECT_EQ(ordering_key(FieldType::kKeyword, "12345678"), ordering_key(FieldType::kKeyword, "123456789"));
}

TEST(Value, HasAText) {
  EXPECT_EQ(text_of(FieldType::kFloat, 3.0), "3.0");
  EXPECT_EQ(text_of(FieldType::kFloat, 1e30), "1e+30");
  EXPECT_EQ(text_of(FieldType::kDate, std::int64_t{1}), "1970-01-01T00:00:00.001Z");
  EXPECT_EQ(text_of(FieldType::kInteger, Limits64::min()), "-9223372036854775808");
  EXPECT_EQ(text_of(FieldType::kBoolean, true), "true");
}

}  // namespace
}  // namespace frond::schema
