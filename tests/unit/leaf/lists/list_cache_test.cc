#include "leaf/lists/list_cache.h"

#include <gtest/gtest.h>

namespace frond::leaf::lists {
namespace {

constexpr std::size_t kBudget = 100'000;

ListKey key(int number) { return {1, "term" + std::to_string(number)}; }

bool ask(ListCache& lru, int number, std::size_t bytes) {
  if (lru.find(key(number))) return true;
  if (lru.admits(key(number), bytes)) lru.insert(key(number), std::make_shared<const List>(), bytes);
  return false;
}

TEST(ListCache, NeverHoldsMoreThanItsBudget) {
  ListCache lru(kBudget);
  for (int i = 0; i < 1000; ++i) {
    ask(lru, i * 7919 % 300, static_cast<std::size_t>(i * 31 % 9000));
    ASSERT_LE(lru.bytes(), kBudget);
  }
  EXPECT_GT(lru.evictions(), 0u);
  EXPECT_GT(lru.entries(), 0u);
}

TEST(ListCache, KeepsWhatWasAskedForTwiceThroughAStreamOfListsAskedForOnce) {
  ListCache lru(kBudget);
  for (int round = 0; round < 2; ++round)
    for (int hot = 0; hot < 10; ++hot) ask(lru, hot, 2000);
  for (int once = 100; once < 1000; ++once) ask(lru, once, 3000);
  for (int hot = 0; hot < 10; ++hot) EXPECT_NE(lru.find(key(hot)), nullptr) << hot;
}

TEST(ListCache, KeepsWhatIsUsedWithoutBeingAskedFor) {
  ListCache lru(kBudget);
  std::vector<ListCache::Kept> hot;
  for (int number = 0; number < 10; ++number) {
    ask(lru, number, 2000);
    hot.push_back(lru.find(key(number)));
  }
  for (int once = 100; once < 1000; ++once) {
    for (const int used : {0, 3, 9}) hot[static_cast<std::size_t>(used)]->mark_used();
    ask(lru, once, 3000);
    ask(lru, once, 3000);  // twice, so that it displaces what is not used
    ASSERT_LE(lru.bytes(), kBudget);
  }
  for (int number = 0; number < 10; ++number)
    EXPECT_EQ(lru.find(key(number)) != nullptr, number == 0 || number == 3 || number == 9) << number;
}

TEST(ListCache, EvictsEvenIfAllListsAreUsed) {
  ListCache lru(kBudget);
  for (int round = 0; round < 20; ++round)
    for (int number = 0; number < 200; ++number) {
      ask(lru, number, 1000);
      if (const auto kept = lru.find(key(number))) kept->mark_used();
      ASSERT_LE(lru.bytes(), kBudget);
    }
  while (lru.evict_one()) {
  }
  EXPECT_EQ(lru.entries(), 0u);
}

TEST(ListCache, EvictsOnlyWhatNobodyHoldsIfAskedTo) {
  ListCache lru(kBudget);
  for (int number = 0; number < 10; ++number) ask(lru, number, 2000);
  const ListCache::Kept first = lru.find(key(3)), second = lru.find(key(8));
  first->mark_used();
  while (lru.evict_unused()) {
  }
  EXPECT_EQ(lru.entries(), 2u);
  EXPECT_EQ(lru.find(key(3)), first);
  EXPECT_EQ(lru.find(key(8)), second);
}

TEST(ListCache, AdmitsALargeListToAFullCacheOnlyWhenAskedForAgain) {
  ListCache lru(kBudget);
  for (int i = 0; i < 100; ++i) ask(lru, i, 2000);
  EXPECT_FALSE(lru.admits(key(500), 20'000));
  EXPECT_TRUE(lru.admits(key(500), 20'000));
}

TEST(ListCache, NeverAdmitsMoreThanAQuarterOfItsBudget) {
  ListCache lru(kBudget);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(lru.admits(key(1), kBudget / 4));
}

TEST(ListCache, ForgetsAPartition) {
  ListCache lru(kBudget);
  for (int i = 0; i < 5; ++i) ask(lru, i, 100);
  ask(lru, 0, 100);
  lru.insert({2, "other"}, std::make_shared<const List>(), 100);
  ListCache::Sweep sweep;
  while (lru.sweep(sweep, 1)) {
  }
  EXPECT_EQ(lru.entries(), 1u);
  EXPECT_NE(lru.find({2, "other"}), nullptr);
  EXPECT_EQ(lru.bytes(), 100 + ListCache::overhead({2, "other"}));
}

}  // namespace
}  // namespace frond::leaf::lists
