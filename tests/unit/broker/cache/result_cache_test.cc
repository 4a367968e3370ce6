#include "broker/cache/result_cache.h"

#include <gtest/gtest.h>

namespace frond::broker::cache {
namespace {

CachedAnswer answer_of(std::string text, std::size_t bytes = 100) {
  return {std::make_shared<const std::string>(std::move(text)), bytes};
}
std::string text_of(const CachedAnswer& answer) {
  return answer.value ? *std::static_pointer_cast<const std::string>(answer.value) : "";
}
void put(ResultCache& cache, const std::string& key, std::size_t bytes = 100) {
  cache.store(key, answer_of(key, bytes));
}

TEST(ResultCache, GivesBackWhatWasStored) {
  ResultCache cache(1 << 20);
  EXPECT_EQ(text_of(cache.find("a")), "");
  put(cache, "a");
  EXPECT_EQ(text_of(cache.find("a")), "a");
  EXPECT_EQ(cache.counters().hits, 1u);
  EXPECT_EQ(cache.counters().misses, 1u);
}

TEST(ResultCache, StaysWithinItsBudget) {
  ResultCache cache(64 << 10);
  for (int i = 0; i < 10'000; ++i) {
    put(cache, "query " + std::to_string(i), 50 + i % 900);
    if (i % 3 == 0) cache.find("query " + std::to_string(i / 2));
    ASSERT_LE(cache.counters().bytes, cache.budget());
  }
  EXPECT_GT(cache.counters().entries, 20u);
  EXPECT_GT(cache.counters().evictions, 9'000u);
}

TEST(ResultCache, KeepsWhatIsAskedForOftenThroughAStreamOfOthers) {
  ResultCache cache(64 << 10);
  put(cache, "hot");
  cache.find("hot");
  for (int i = 0; i < 5'000; ++i) put(cache, "once " + std::to_string(i));
  EXPECT_EQ(text_of(cache.find("hot")), "hot");
}

TEST(ResultCache, DoesNotStoreAnAnswerLargerThanItsShare) {
  ResultCache cache(64 << 10);
  put(cache, "huge", 32 << 10);
  EXPECT_EQ(text_of(cache.find("huge")), "");
  EXPECT_EQ(cache.counters().too_large, 1u);
}

TEST(ResultCache, StoresNothingWithoutABudget) {
  ResultCache cache(0);
  put(cache, "a");
  EXPECT_EQ(text_of(cache.find("a")), "");
}

}  // namespace
}  // namespace frond::broker::cache
