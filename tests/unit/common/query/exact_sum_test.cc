// Sums of doubles that no order changes.
#include "common/query/facets/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace frond::query {
namespace {

using Doubles = std::numeric_limits<double>;

double sum(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.rounded();
}

TEST(ExactSum, LosesNothingBeforeTheEnd) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum({Doubles::max(), Doubles::max(), -Doubles::max()}), Doubles::max());
  EXPECT_EQ(sum({Doubles::denorm_min(), 1, -1}), Doubles::denorm_min());
  EXPECT_EQ(sum({-Doubles::denorm_min(), Doubles::min()}), Doubles::min() - Doubles::denorm_min());
  EXPECT_EQ(sum(std::vector<double>(10, 0.1)), 1);
  EXPECT_EQ(sum({Doubles::max(), Doubles::max()}), Doubles::infinity());
  EXPECT_EQ(sum({Doubles::lowest(), Doubles::lowest()}), -Doubles::infinity());
}

TEST(ExactSum, RoundsHalvesToEvenOnce) {
  constexpr double kTwo53 = 9007199254740992;
  EXPECT_EQ(sum({kTwo53, 1}), kTwo53);
  EXPECT_EQ(sum({kTwo53, 2, 1}), kTwo53 + 4);
  EXPECT_EQ(sum({kTwo53, 1, Doubles::denorm_min()}), kTwo53 + 2);
  EXPECT_EQ(sum({-kTwo53, -1, -Doubles::denorm_min()}), -kTwo53 - 2);
}

TEST(ExactSum, IsThatOfItsPartsInAnyOrder) {
  std::mt19937_64 random(7);
  std::vector<double> values;
  values.reserve(1000);
  for (int i = 0; i < 1000; ++i)
    values.push_back(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 1800) - 1100));
  ExactSum forwards, backwards, left, right;
  for (const double value : values) forwards.add(value);
  std::ranges::reverse(values);
  for (const double value : values) backwards.add(value);
  for (std::size_t i = 0; i < values.size(); ++i) (i % 3 == 0 ? left : right).add(values[i]);
  left.add(right);
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(forwards, left);
  ExactSum again;
  ASSERT_TRUE(again.set_words(forwards.words()));
  EXPECT_EQ(again, forwards);
  for (const double value : values) forwards.add(-value);
  EXPECT_EQ(forwards, ExactSum());
  EXPECT_FALSE(again.set_words(std::vector<std::uint64_t>(36)));
}

TEST(ExactSum, TakesAllIntegers) {
  using Integers = std::numeric_limits<std::int64_t>;
  ExactSum sum;
  for (int i = 0; i < 3; ++i) sum.add_integer(Integers::min());
  EXPECT_EQ(sum.rounded(), -3 * std::ldexp(1, 63));
  for (int i = 0; i < 3; ++i) sum.add_integer(Integers::max());
  EXPECT_EQ(sum.rounded(), -3);
  sum.add_integer(3);
  EXPECT_EQ(sum, ExactSum());
  EXPECT_TRUE(sum.words().empty());
}

}  // namespace
}  // namespace frond::query
