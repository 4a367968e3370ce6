// A search over scripted leaves: its two round trips, its time, and its end.
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using std::chrono::milliseconds;
using support::documents;
using support::found;

TEST_F(ASearch, AsksEachPartitionOnceAndFetchesThePageOnly) {
  start(milliseconds(1000), 2);
  ASSERT_EQ(leaf(0).searches.open() + leaf(1).searches.open(), 1u);
  EXPECT_EQ(leaf(0).searches.last().partitions, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(leaf(0).searches.last().depth, 2u);
  EXPECT_EQ(leaf(0).searches.last().auto_needs, 2u);
  leaf(0).searches.answer(found({{0, 9}, {1, 5}}));
  leaf(2).searches.answer(found({{2, 7}, {5, 1}}));
  EXPECT_EQ(leaf(0).fetches.last().ordinals, std::vector<Ordinal>{0});
  EXPECT_EQ(leaf(2).fetches.last().ordinals, std::vector<Ordinal>{2});
  EXPECT_EQ(leaf(0).fetches.last().terms, std::vector<std::string>{"word"});
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d2 ");
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(page->total.value, 4u);
  EXPECT_TRUE(page->total.exact);
}
TEST_F(ASearch, AsksForOrWhereAndDoesNotReachTheEndOfThePage) {
  start(milliseconds(1000), 5, 20);
  EXPECT_EQ(leaf(0).searches.last().depth, 25u);
  EXPECT_EQ(leaf(0).searches.last().auto_needs, 25u);
}
TEST_F(ASearch, NeedsNoSecondTripWithoutHits) {
  start();
  leaf(0).searches.answer(found({}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(page->total.value, 0u);
}
TEST_F(ASearch, KeepsTimeForTheSecondTripAndNamesWhatWasLate) {
  no_replica();
  start(milliseconds(1000));
  leaf(2).searches.answer(found({{2, 3}}));
  cluster.advance(milliseconds(899));
  EXPECT_EQ(leaf(2).fetches.open(), 0u);
  cluster.advance(milliseconds(1));
  EXPECT_EQ(leaf(2).fetches.open(), 1u);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:deadline 1:deadline ");
  EXPECT_TRUE(page->timed_out());
  EXPECT_EQ(ids(), "d2 ");
}
TEST_F(ASearch, AsksNoOtherLeafWhereOneRefusesTheQuery) {
  start();
  leaf(0).searches.answer(Error(Code::kInvalid, "too many terms"));
  EXPECT_EQ(leaf(1).searches.open(), 0u);
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:invalid_query 1:invalid_query ");
  EXPECT_EQ(page->refusal, "too many terms");
}
TEST_F(ASearch, TellsLeavesToStopWhenItIsAbandoned) {
  start(milliseconds(1000));
  leaf(2).searches.answer(found({{2, 7}}));
  cluster.advance(milliseconds(450));
  ASSERT_EQ(leaf(1).searches.open(), 1u) << "a hedge";
  running->abandon();
  EXPECT_EQ(leaf(0).cancelled + leaf(1).cancelled, 2u);
  EXPECT_EQ(leaf(0).searches.open() + leaf(1).searches.open(), 0u);
  running->abandon();
  cluster.advance(milliseconds(1000));
  EXPECT_FALSE(page);
  EXPECT_EQ(leaf(0).fetches.asked.size() + leaf(2).fetches.asked.size(), 0u);
}
TEST_F(ASearch, TellsLeavesToStopFetchingWhenItIsAbandoned) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(0).fetches.answer(documents(leaf(0).fetches.last()));
  running->abandon();
  EXPECT_EQ(leaf(0).cancelled, 0u) << "it had answered";
  EXPECT_EQ(leaf(2).cancelled, 1u);
  cluster.advance(milliseconds(1000));
  EXPECT_FALSE(page);
}
TEST_F(ASearch, IsNotHarmedByBeingAbandonedAfterItsEnd) {
  start();
  leaf(0).searches.answer(found({}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  running->abandon();
  EXPECT_EQ(leaf(0).cancelled + leaf(2).cancelled, 0u);
}
}  // namespace
}  // namespace frond::broker::scatter
