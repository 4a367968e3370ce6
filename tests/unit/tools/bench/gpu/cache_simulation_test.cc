#include "tools/bench/gpu/cache_simulation.h"

#include <gtest/gtest.h>

namespace frond::tools::bench {
namespace {

constexpr std::size_t kList = 64 << 10;  // bytes

TEST(CacheReplay, HitsWhatWasAskedForBefore) {
  const CacheLog log{.queries = {{0, 1}, {1}, {0, 2}, {0, 1, 2}, {}}, .bytes = {kList, kList, kList}};
  const auto counted = replay(log, 100 * kList, 0);
  EXPECT_EQ(counted.lists, 8u);
  EXPECT_EQ(counted.list_hits, 5u);
  EXPECT_EQ(counted.queries, 4u) << "without the one that has no list";
  EXPECT_EQ(counted.query_hits, 2u);
  EXPECT_EQ(counted.asked_bytes, 8 * kList);
  EXPECT_EQ(counted.hit_bytes, 5 * kList);
  EXPECT_EQ(counted.evictions, 0u);
}

TEST(CacheLog, HasTheBytesOfTheListsThatItsQueriesAskFor) {
  EXPECT_EQ((CacheLog{.queries = {{0, 2}, {2}}, .bytes = {3, 50, 4}}.all_bytes()), 7u);
}

TEST(CacheReplay, CountsFromWhereItIsTold) {
  const CacheLog log{.queries = {{0}, {1}, {0}, {1}}, .bytes = {kList, kList}};
  const auto counted = replay(log, 100 * kList, 2);
  EXPECT_EQ(counted.lists, 2u);
  EXPECT_EQ(counted.list_hits, 2u);
}

TEST(CacheReplay, HoldsNoMoreThanItsBytes) {
  CacheLog log{.queries = {}, .bytes = std::vector<std::size_t>(100, kList)};
  for (int pass = 0; pass < 3; ++pass)
    for (std::uint32_t list = 0; list < 100; ++list) log.queries.push_back({list});
  const auto counted = replay(log, 20 * kList, 100);
  EXPECT_LT(counted.list_hits, 60u) << "a fifth fits";
  EXPECT_GT(counted.evictions, 0u);
  EXPECT_EQ(replay(log, 200 * kList, 100).list_hits, 200u);
}

TEST(CacheReplay, RefusesAListThatIsTooLarge) {
  const CacheLog log{.queries = {{0}, {0}, {0}}, .bytes = {kList}};
  const auto counted = replay(log, 2 * kList, 0);
  EXPECT_EQ(counted.list_hits, 0u);
  EXPECT_EQ(counted.refused, 3u);
}

}  // namespace
}  // namespace frond::tools::bench
