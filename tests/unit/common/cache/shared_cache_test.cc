#include "common/cache/shared_cache.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace frond::cache {
namespace {

using Shared = SharedCache<std::uint64_t, std::shared_ptr<const int>>;

TEST(ASharedCache, GivesWhatCameFirstAndCounts) {
  Shared cache(1000, 4);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_EQ(cache.find(1, /*counts_misses=*/false), nullptr);
  const auto first = std::make_shared<const int>(1);
  EXPECT_EQ(cache.insert(1, first, 100), first);
  EXPECT_EQ(cache.insert(1, std::make_shared<const int>(2), 100), first);
  EXPECT_EQ(cache.find(1), first);
  const Counters counters = cache.counters();
  EXPECT_EQ(counters.hits, 1u);
  EXPECT_EQ(counters.misses, 1u);
  EXPECT_EQ(counters.bytes, 100u);
}

TEST(ASharedCache, KeepsNothingThatIsTooLargeAndNothingWithoutABudget) {
  Shared cache(1000, 4, 2), none(0, 4, 2);
  const auto value = std::make_shared<const int>(1);
  EXPECT_FALSE(cache.too_large(125));  // a quarter of a shard
  EXPECT_TRUE(cache.too_large(126));
  EXPECT_EQ(cache.insert(1, value, 126), value);
  EXPECT_EQ(none.insert(1, value, 1), value);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_EQ(none.find(1), nullptr);
}

TEST(ASharedCache, RemovesWhatItIsAskedToFromAllShards) {
  struct Spread {
    std::size_t operator()(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15ULL; }
  };
  SharedCache<std::uint64_t, std::shared_ptr<const int>, Spread> cache(1 << 20, 4, 16);
  for (std::uint64_t key = 0; key < 2000; ++key) cache.insert(key, std::make_shared<const int>(0), 100);
  cache.remove_if([](std::uint64_t key) { return key % 2 == 0; });
  for (std::uint64_t key = 0; key < 2000; ++key) EXPECT_EQ(cache.find(key) == nullptr, key % 2 == 0);
  std::size_t visited = 0;
  cache.for_each([&](std::uint64_t, const std::shared_ptr<const int>&) { ++visited; });
  EXPECT_EQ(visited, 1000u);
  EXPECT_EQ(cache.counters().bytes, 100'000u);
  EXPECT_EQ(cache.counters().evictions, 0u);
}

TEST(ASharedCache, ServesManyThreadsWithinItsBudget) {
  Shared cache(10'000, 4, 4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&cache] {
      for (std::uint64_t key = 0; key < 5000; ++key)
        if (cache.find(key % 300) == nullptr) cache.insert(key % 300, std::make_shared<const int>(0), 100);
    });
  for (std::thread& thread : threads) thread.join();
  const Counters counters = cache.counters();
  EXPECT_EQ(counters.hits + counters.misses, 20'000u);
  EXPECT_LE(counters.bytes, 10'000u);
}

}  // namespace
}  // namespace frond::cache
