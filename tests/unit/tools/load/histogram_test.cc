#include "tools/load/load_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace frond::tools {
namespace {

TEST(Histogram, AnswersEveryQuantileWithinOnePartIn128) {
  const unsigned seed = 20240117;
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values;
  auto histogram = std::make_unique<Histogram>();
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(random() >> (random() % 64));
    histogram->add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double fraction : {0.0, 0.001, 0.25, 0.5, 0.95, 0.99, 0.999, 1.0}) {
    const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(fraction * 20'000 - 1e-9)));
    const auto exact = values[rank - 1];
    EXPECT_GE(histogram->quantile(fraction), exact) << "seed " << seed << ", fraction " << fraction;
    EXPECT_LE(histogram->quantile(fraction) - exact, exact / 128 + 1) << "seed " << seed << ", fraction " << fraction;
  }
  EXPECT_EQ(histogram->max(), values.back());
}

TEST(Histogram, IsExactForSmallValuesAndHoldsTheLargest) {
  auto histogram = std::make_unique<Histogram>();
  for (std::uint64_t value = 0; value < 256; ++value) histogram->add(value);
  EXPECT_EQ(histogram->quantile(0.5), 127u);
  histogram->add(~std::uint64_t{0});
  EXPECT_EQ(histogram->quantile(1.0), ~std::uint64_t{0});
}

TEST(Histogram, OfNothingIsZero) {
  auto histogram = std::make_unique<Histogram>();
  EXPECT_EQ(histogram->quantile(0.99), 0u);
  EXPECT_EQ(histogram->mean(), 0);
}

}  // namespace
}  // namespace frond::tools
