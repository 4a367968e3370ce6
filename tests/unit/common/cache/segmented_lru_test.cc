#include "common/cache/segmented_lru.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace frond::cache {
namespace {

using Lru = SegmentedLru<std::string, int>;

TEST(SegmentedLru, FindsWhatWasInserted) {
  Lru lru(100, 4);
  EXPECT_EQ(lru.find("a"), nullptr);
  lru.insert("a", 7, 10);
  ASSERT_NE(lru.find("a"), nullptr);
  EXPECT_EQ(*lru.find("a"), 7);
  EXPECT_TRUE(lru.contains("a"));
  EXPECT_FALSE(lru.contains("b"));
  EXPECT_EQ(lru.entries(), 1u);
  EXPECT_EQ(lru.bytes(), 10u);
}

TEST(SegmentedLru, CallsMoreThanAShareOfTheBudgetTooLarge) {
  EXPECT_FALSE(Lru(100, 4).too_large(25));
  EXPECT_TRUE(Lru(100, 4).too_large(26));
  EXPECT_FALSE(Lru(160, 16).too_large(10));
  EXPECT_TRUE(Lru(160, 16).too_large(11));
  EXPECT_TRUE(Lru(0, 4).too_large(1));
}

TEST(SegmentedLru, EvictsTheOldestOnProbationFirst) {
  Lru lru(30, 1);
  for (const char* key : {"a", "b", "c"}) lru.insert(key, 0, 10);
  lru.find("a");
  lru.insert("d", 0, 10);
  EXPECT_FALSE(lru.contains("b"));
  EXPECT_TRUE(lru.evict_one());
  EXPECT_FALSE(lru.contains("c"));
  EXPECT_TRUE(lru.evict_one());
  EXPECT_FALSE(lru.contains("d"));
  EXPECT_TRUE(lru.evict_one());
  EXPECT_FALSE(lru.contains("a"));
  EXPECT_FALSE(lru.evict_one());
  EXPECT_EQ(lru.evictions(), 4u);
  EXPECT_EQ(lru.bytes(), 0u);
}

TEST(SegmentedLru, MovesTheOldestBackToProbationAboveFourFifths) {
  Lru lru(50, 1);
  for (const char* key : {"a", "b", "c", "d", "e"}) lru.insert(key, 0, 10);
  for (const char* key : {"a", "b", "c", "d", "e"}) lru.find(key);
  lru.insert("f", 0, 10);
  EXPECT_FALSE(lru.contains("a"));
  for (const char* key : {"b", "c", "d", "e", "f"}) EXPECT_TRUE(lru.contains(key)) << key;
}

TEST(SegmentedLru, KeepsAnEntryLargerThanTheBudgetAlone) {
  Lru lru(30, 4);
  lru.insert("a", 0, 10);
  lru.insert("b", 0, 40);
  EXPECT_FALSE(lru.contains("a"));
  EXPECT_NE(lru.find("b"), nullptr);
  EXPECT_NE(lru.find("b"), nullptr);
  lru.insert("c", 0, 10);
  EXPECT_FALSE(lru.contains("b"));
  EXPECT_EQ(lru.bytes(), 10u);
}

TEST(SegmentedLru, TakesOutByKeyInBothSegments) {
  Lru lru(100, 1);
  for (const char* key : {"a1", "b1", "a2", "b2"}) lru.insert(key, 0, 10);
  lru.find("a1");
  lru.find("b1");
  Lru::Sweep sweep;
  while (lru.sweep(sweep, [](const std::string& key) { return key[0] == 'a'; })) {
  }
  EXPECT_EQ(lru.entries(), 2u);
  EXPECT_EQ(lru.bytes(), 20u);
  EXPECT_EQ(lru.evictions(), 0u);
  EXPECT_TRUE(lru.contains("b1"));
  EXPECT_TRUE(lru.contains("b2"));
}

TEST(SegmentedLru, LeavesToTheCallerWhenWhatItTookOutIsFreed) {
  SegmentedLru<int, std::shared_ptr<int>> lru(10, 1);
  const auto value = std::make_shared<int>(1);
  lru.insert(1, value, 10);
  {
    decltype(lru)::Sweep sweep;
    while (lru.sweep(sweep, [](int key) { return key == 1; })) {
    }
    EXPECT_EQ(lru.entries(), 0u);
    EXPECT_EQ(value.use_count(), 2);
  }
  EXPECT_EQ(value.use_count(), 1);
}

// A lock around a call is held for a few thousand looks, however many entries there are; searches go on in between.
TEST(SegmentedLru, SweepsManyEntriesInShortCallsWhileOthersAreInserted) {
  SegmentedLru<int, int> lru(1'000'000, 1);
  for (int key = 0; key < 100'000; ++key) lru.insert(key, key, 1);
  decltype(lru)::Sweep sweep;
  std::size_t calls = 1, most = 0, looks = 0;
  const auto odd = [&looks](int key) { return ++looks, key % 2 == 1; };
  for (int more = 200'000; lru.sweep(sweep, odd); ++calls, looks = 0) {
    most = std::max(most, looks);
    if (calls == 5)  // the index grows: the sweep begins anew
      for (int i = 0; i < 200'000; ++i) lru.insert(more += 2, 0, 1);
  }
  EXPECT_GT(calls, 50u);
  EXPECT_LT(most, 5'000u);
  EXPECT_EQ(lru.entries(), 250'000u);
  for (int key = 0; key < 100'000; ++key) ASSERT_EQ(lru.contains(key), key % 2 == 0) << key;
}

TEST(SegmentedLru, ReleasesTheValuesThatItDrops) {
  SegmentedLru<int, std::shared_ptr<int>> lru(10, 1);
  const auto value = std::make_shared<int>(1);
  lru.insert(1, value, 10);
  EXPECT_EQ(value.use_count(), 2);
  lru.insert(2, nullptr, 10);
  EXPECT_EQ(value.use_count(), 1);
}

// The same policy without an index or sums.
class SlowLru {
 public:
  explicit SlowLru(std::size_t budget) : budget_(budget) {}
  std::optional<int> find(int key) {
    for (auto* segment : {&probation_, &protected_}) {
      const auto at = std::find_if(segment->begin(), segment->end(), [&](const Entry& one) { return one.key == key; });
      if (at == segment->end()) continue;
      const Entry entry = *at;
      segment->erase(at);
      protected_.push_back(entry);
      while (sum(protected_) > budget_ / 5 * 4) {
        probation_.push_back(protected_.front());
        protected_.erase(protected_.begin());
      }
      return entry.value;
    }
    return std::nullopt;
  }
  void insert(int key, int value, std::size_t charge) {
    while (bytes() + charge > budget_ && !(probation_.empty() && protected_.empty())) {
      auto& from = probation_.empty() ? protected_ : probation_;
      from.erase(from.begin());
    }
    probation_.push_back({key, value, charge});
  }
  std::size_t bytes() const { return sum(probation_) + sum(protected_); }

 private:
  struct Entry {
    int key, value;
    std::size_t charge;
  };
  using Entries = std::vector<Entry>;  // most recently used last
  static std::size_t sum(const Entries& entries) {
    std::size_t sum = 0;
    for (const Entry& one : entries) sum += one.charge;
    return sum;
  }
  std::size_t budget_;
  Entries probation_, protected_;
};

TEST(SegmentedLru, AnswersLikeASlowOne) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::size_t budget : {0u, 4u, 100u, 1000u}) {
    SegmentedLru<int, int> lru(budget, 4);
    SlowLru slow(budget);
    for (int step = 0; step < 5'000; ++step) {
      // Small keys come often.
      const int key = static_cast<int>(random() % (1 + random() % 100));
      const int* const found = lru.find(key);
      ASSERT_EQ(found ? std::optional<int>(*found) : std::nullopt, slow.find(key)) << step;
      if (!found) {
        const std::size_t charge = random() % 40;
        lru.insert(key, step, charge);
        slow.insert(key, step, charge);
      }
      ASSERT_EQ(lru.bytes(), slow.bytes()) << step;
    }
  }
}

}  // namespace
}  // namespace frond::cache
