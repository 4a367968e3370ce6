#include "common/partition/terms/df_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace frond::partition {
namespace {

std::string term(std::size_t i) { return "term" + std::to_string(i); }

TEST(DfCache, FindsWhatWasPutAndNothingElse) {
  DfCache cache;
  EXPECT_FALSE(cache.find("a").has_value());
  cache.put("a", 7);
  EXPECT_EQ(cache.find("a"), 7u);
  EXPECT_FALSE(cache.find("").has_value());
  EXPECT_FALSE(cache.find("b").has_value());
}

TEST(DfCache, KeepsTheNewestOfATerm) {
  DfCache cache;
  cache.put("a", 7);
  cache.put("a", 8);
  EXPECT_EQ(cache.find("a"), 8u);
}

TEST(DfCache, KeepsNearlyAllOfAQuarterAsManyTermsAsItHasPlaces) {
  DfCache cache;
  constexpr std::size_t kTerms = DfCache::kEntries / 4;
  for (std::size_t i = 0; i < kTerms; ++i) cache.put(term(i), i + 1);
  std::size_t found = 0;
  for (std::size_t i = 0; i < kTerms; ++i) {
    const auto df = cache.find(term(i));
    if (!df) continue;
    ++found;
    EXPECT_EQ(*df, i + 1);
  }
  EXPECT_GT(found, kTerms - kTerms / 50);
}

TEST(DfCache, ForgetsTheOldestWhereTermsAreTooMany) {
  DfCache cache;
  for (std::size_t i = 0; i < 4 * DfCache::kEntries; ++i) cache.put(term(i), i + 1);
  EXPECT_FALSE(cache.find(term(0)).has_value());
  EXPECT_EQ(cache.find(term(4 * DfCache::kEntries - 1)), 4 * DfCache::kEntries);
}

TEST(DfCache, DoesNotKeepLongTerms) {
  DfCache cache;
  const std::string longest(DfCache::kMaxTermBytes, 'x');
  cache.put(longest, 1);
  cache.put(longest + "x", 2);
  EXPECT_EQ(cache.find(longest), 1u);
  EXPECT_FALSE(cache.find(longest + "x").has_value());
}

}  // namespace
}  // namespace frond::partition
