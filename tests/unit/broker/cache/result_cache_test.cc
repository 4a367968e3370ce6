#include "broker/cache/result_cache.h"

#include <gtest/gtest.h>

namespace frond::broker {
namespace {

CachedAnswer answer_of(std::string text, std::size_t bytes = 100) {
  return {std::make_shared<const std::string>(std::move(text)), bytes};
}
std::string text_of(const CachedAnswer& answer) {
  return answer.value ? *std::static_pointer_cast<const std::string>(answer.value) : "";
}
// Evaluates `key` as one client would.
void put(ResultCache& cache, const std::string& key, std::size_t bytes = 100, bool store = true) {
  std::uint64_t ticket = 0;
  if (cache.begin(
          key, [](const CachedAnswer&) {}, ticket))
    cache.complete(key, answer_of(key, bytes), store);
}

TEST(ResultCache, GivesBackWhatWasStored) {
  ResultCache cache(1 << 20);
  EXPECT_EQ(text_of(cache.find("a")), "");
  put(cache, "a");
  EXPECT_EQ(text_of(cache.find("a")), "a");
  EXPECT_EQ(cache.counters().hits, 1u);
  EXPECT_EQ(cache.counters().misses, 1u);
}

TEST(ResultCache, NeverStoresAnAnswerThatItIsToldNotTo) {
  ResultCache cache(1 << 20);
  put(cache, "degraded", 100, false);
  EXPECT_EQ(text_of(cache.find("degraded")), "");
  EXPECT_EQ(cache.counters().entries, 0u);
}

TEST(ResultCache, EvaluatesEqualQueriesInFlightOnce) {
  ResultCache cache(1 << 20);
  std::vector<std::string> got;
  const auto waiter = [&](const CachedAnswer& answer) { got.push_back(text_of(answer)); };
  std::uint64_t first = 0, second = 0, third = 0;
  EXPECT_TRUE(cache.begin("q", waiter, first));
  EXPECT_FALSE(cache.begin("q", waiter, second));
  EXPECT_FALSE(cache.begin("q", waiter, third));
  cache.leave("q", first);  // the one that began leaves; the evaluation goes on for the others
  cache.complete("q", answer_of("answer"), true);
  EXPECT_EQ(got, (std::vector<std::string>{"answer", "answer"}));
  EXPECT_EQ(cache.counters().coalesced, 2u);
  EXPECT_EQ(cache.counters().in_flight, 0u);
}

TEST(ResultCache, LetsAWaiterCallBackIn) {
  ResultCache cache(1 << 20);
  std::uint64_t ticket = 0;
  std::string again;
  cache.begin(
      "q", [&](const CachedAnswer&) { again = text_of(cache.find("q")); }, ticket);
  cache.complete("q", answer_of("answer"), true);
  EXPECT_EQ(again, "answer");
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

TEST(ResultCache, PassesOnAnAnswerLargerThanItsShareWithoutStoringIt) {
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
}  // namespace frond::broker
