#include "leaf/collect/facets/bucket_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace frond::leaf::collect {
namespace {

TEST(BucketTable, CountsAsAMapWhateverItsSeed) {
  constexpr std::uint32_t kSeed = 3;
  std::mt19937_64 random(kSeed);
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, random(), random()}) {
    BucketTable table(seed);
    std::map<std::uint64_t, std::uint64_t> expected;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t bucket = i % 5 == 0 ? random() : i % 7 == 0 ? 0 : random() % 3000 * 0x1'0000'0000;
      table.add(bucket);
      ++expected[bucket];
    }
    ASSERT_EQ(table.size(), expected.size());
    const auto buckets = table.take();
    ASSERT_EQ(buckets.size(), expected.size()) << "seed " << kSeed;
    auto at = expected.begin();
    for (const BucketTable::Bucket& one : buckets) {
      ASSERT_EQ(std::pair(one.bucket, one.count), std::pair(at->first, at->second));
      ++at;
    }
  }
}

// Chosen for a table that multiplies by a known number and looks at the high bits: all of them in its first place.
TEST(BucketTable, IsNotFloodedByChosenValues) {
  std::uint64_t inverse = 1;  // of the golden ratio's number, modulo 2^64, by Newton
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15ULL * inverse;
  ASSERT_EQ(inverse * 0x9e3779b97f4a7c15ULL, 1u);
  for (const std::uint64_t step : {inverse, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{4096}}) {
    BucketTable table(0x243f6a8885a308d3);  // any that they were not chosen for
    for (std::uint64_t i = 1; i <= 50'000; ++i) table.add(i * step);
    EXPECT_LT(table.longest_run(), 500u) << step;
  }
}

}  // namespace
}  // namespace frond::leaf::collect
