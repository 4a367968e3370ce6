// What a search does when leaves fail: other replicas, and partitions that stay unsearched.
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using support::found;

TEST_F(ASearch, AsksAnotherReplicaWhenALeafDies) {
  start();
  leaf(0).searches.answer(Error(Code::kUnavailable, "gone"));
  EXPECT_FALSE(cluster.map.leaves()[0]->healthy);
  leaf(1).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(context.counters.failovers, 1u);
}
TEST_F(ASearch, AsksAReplicaThatCameBackSinceItBegan) {
  no_replica();
  start();
  cluster.advance(std::chrono::milliseconds(1));
  greet();
  ASSERT_TRUE(cluster.map.leaves()[1]->healthy);
  leaf(0).searches.answer(Error(Code::kUnavailable, "gone"));
  ASSERT_EQ(leaf(1).searches.open(), 1u);
  EXPECT_EQ(leaf(1).searches.last().partitions, (std::vector<std::uint32_t>{0, 1}));
  leaf(1).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, FetchesFromAReplicaThatCameBackSinceItBegan) {
  no_replica();
  start();
  cluster.advance(std::chrono::milliseconds(1));
  greet();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  ASSERT_EQ(leaf(0).fetches.open(), 1u);
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  ASSERT_EQ(leaf(1).fetches.open(), 1u);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, AsksAnotherReplicaOnceOnly) {
  start();
  leaf(0).searches.answer(Error(Code::kOverloaded, "full"));
  leaf(1).searches.answer(Error(Code::kOverloaded, "full"));
  leaf(2).searches.answer(found({{2, 3}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:overloaded 1:overloaded ");
  EXPECT_FALSE(page->total.exact);
}
TEST_F(ASearch, AsksAnotherReplicaForWhatALeafDidNotSearch) {
  start();
  leaf(0).searches.answer(found({{0, 9}}, {{1, wire::UnsearchedReason::kCorrupt}}));
  EXPECT_EQ(leaf(1).searches.last().partitions, std::vector<std::uint32_t>{1});
  leaf(1).searches.answer(found({{1, 8}}));
  leaf(2).searches.answer(found({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, GivesWhatThereIsWhenALeafIsDown) {
  no_replica();
  start();
  leaf(0).searches.answer(Error(Code::kUnavailable, "gone"));
  leaf(2).searches.answer(found({{2, 3}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d2 ");
  EXPECT_EQ(unsearched(), "0:unavailable 1:unavailable ");
  EXPECT_EQ(page->partitions_answered(), 1u);
  EXPECT_FALSE(page->timed_out());
}
TEST_F(ASearch, EndsAtOnceIfNoLeafIsLeft) {
  for (std::size_t i : {0, 1, 2}) cluster.map.report_unavailable(cluster.map.leaves()[i], "down");
  start();
  ASSERT_TRUE(page);
  EXPECT_EQ(page->partitions_answered(), 0u);
}
// A leaf may send hits of a partition that failed later: another leaf is asked for the whole partition.
TEST_F(ASearch, CountsAPartitionOnceThatItAskedOfAnotherReplica) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}, {{1, wire::UnsearchedReason::kCorrupt}}));
  leaf(1).searches.answer(found({{1, 8}, {4, 7}}));
  leaf(2).searches.answer(found({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 d4 ");
  EXPECT_EQ(page->total.value, 3u);
}
// Leaf 0 is of an older version, and leaf 1 has the same partitions.
TEST_F(ASearch, AsksOnlyLeavesThatKnowOfSearchesWithoutRanking) {
  cluster.map.refresh(cluster.map.leaves()[0]);
  cluster.advance(std::chrono::milliseconds(0));
  auto older = support::hello({support::served(1, 3, {0, 1})});
  older.features = 0;
  while (leaf(0).hellos.open() > 0) leaf(0).hellos.answer(older);
  rank = wire::Rank::kNone;
  for (int i = 0; i < 4; ++i) {
    page.reset();
    start();
    EXPECT_EQ(leaf(0).searches.open(), 0u);
    ASSERT_EQ(leaf(1).searches.open(), 1u);
    EXPECT_EQ(leaf(1).searches.last().rank, wire::Rank::kNone);
    leaf(1).searches.answer(support::unranked({{3, 0}, {1, 0}}, 10));
    leaf(2).searches.answer(support::unranked({{2, 0}}, 10));
    fetch_all();
    ASSERT_TRUE(page);
    EXPECT_EQ(ids(), "d1 d2 d3 ");
    EXPECT_EQ(page->total.value, 3u);
    EXPECT_TRUE(page->total.exact);
  }
  // A scored reply is not an answer, and there is no other leaf that could give one.
  page.reset();
  start();
  leaf(1).searches.answer(support::found({{1, 9}}));
  leaf(2).searches.answer(support::unranked({{2, 0}}, 10));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ");
  EXPECT_FALSE(page->total.exact);
}

}  // namespace
}  // namespace frond::broker::scatter
