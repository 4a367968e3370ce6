#include "common/topk/top_k.h"

#include <gtest/gtest.h>

#include <random>

namespace frond::topk {
namespace {

// Few scores, so that most hits tie.
std::vector<Hit> random_hits(std::uint32_t seed, std::size_t count, Score scores) {
  std::mt19937 random(seed);
  std::vector<Hit> hits(count);
  for (std::size_t i = 0; i < count; ++i) hits[i] = {i, static_cast<Score>(random() % scores)};
  std::shuffle(hits.begin(), hits.end(), random);
  return hits;
}
std::vector<Hit> sorted(std::vector<Hit> hits, std::size_t k) {
  std::sort(hits.begin(), hits.end(), better);
  hits.resize(std::min(k, hits.size()));
  return hits;
}

TEST(TopK, KeepsWhatSortingWouldPutFirst) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed)
    for (const std::size_t k : {0, 1, 2, 10, 100, 1000})
      for (const Score scores : {1u, 3u, 1u << 20}) {
        const auto hits = random_hits(seed, seed * 7, scores);
        TopK best(k);
        for (const Hit& hit : hits) best.offer(hit);
        ASSERT_EQ(best.take(), sorted(hits, k)) << "seed " << seed << ", k " << k;
      }
}

TEST(TopK, TellsWhetherAHitIsAmongTheBest) {
  TopK best(2);
  EXPECT_TRUE(best.offer({5, 10}));
  EXPECT_TRUE(best.offer({6, 20}));
  EXPECT_FALSE(best.offer({7, 10}));  // same score as the worst hit, later document
  EXPECT_TRUE(best.offer({4, 10}));   // same score, earlier document
  EXPECT_EQ(best.take(), (std::vector<Hit>{{6, 20}, {4, 10}}));
}

TEST(TopK, EntryIsTheLeastScoreThatALaterDocumentNeeds) {
  TopK best(2);
  EXPECT_EQ(best.entry(), 0u);
  best.offer({1, 7});
  EXPECT_EQ(best.entry(), 0u);
  best.offer({2, 9});
  EXPECT_EQ(best.entry(), 8u);
  EXPECT_FALSE(best.offer({3, best.entry() - 1}));
  EXPECT_TRUE(best.offer({4, best.entry()}));
}

TEST(TopK, OfNothingAsksForTheImpossible) {
  TopK best(0);
  EXPECT_TRUE(best.full());
  EXPECT_EQ(best.entry(), ~Score{0});
  EXPECT_FALSE(best.offer({1, ~Score{0}}));
  EXPECT_TRUE(best.take().empty());
}

TEST(Merge, IsSortingEverythingForAnyNumberOfLists) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed)
    for (const std::size_t parts : {1, 2, 3, 16})
      for (const std::size_t k : {1, 10, 1000}) {
        const auto hits = random_hits(seed, 300, 5);
        std::vector<std::vector<Hit>> lists(parts);
        for (const Hit& hit : hits) lists[hit.ordinal % parts].push_back(hit);
        for (auto& list : lists) list = sorted(std::move(list), k);
        ASSERT_EQ(merge(lists, k), sorted(hits, k)) << "seed " << seed << ", parts " << parts << ", k " << k;
      }
  EXPECT_TRUE(merge({}, 10).empty());
}

}  // namespace
}  // namespace frond::topk
