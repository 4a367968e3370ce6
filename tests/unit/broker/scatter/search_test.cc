#include "broker/scatter/search.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/scripted_cluster.h"
#include "tests/support/scripted_replies.h"

namespace frond::broker::scatter {
namespace {
using std::chrono::milliseconds;
using support::documents;
using support::found;
using support::hello;
using support::ScriptedCluster;
using support::ScriptedLeaf;
using support::served;

// Leaves 0 and 1 have partitions 0 and 1; leaf 2 has partition 2. With no_replica(), leaf 1 is down.
class ASearch : public testing::Test {
 protected:
  ASearch() {
    cluster.leaf(0).hellos.answer(hello({served(1, 3, {0, 1})}));
    cluster.leaf(1).hellos.answer(hello({served(1, 3, {0, 1})}));
    cluster.leaf(2).hellos.answer(hello({served(1, 3, {2})}));
  }
  void no_replica() { cluster.map.report_unavailable(cluster.map.leaves()[1], "down"); }
  void start(milliseconds time = milliseconds(1000), std::uint32_t k = 10, std::uint32_t offset = 0) {
    SearchPlan plan;
    plan.topology = cluster.map.topology();
    plan.request.mode = wire::Mode::kOr;
    plan.request.terms = {{"word", 1}};
    plan.k = k;
    plan.offset = offset;
    running = search(context, std::move(plan), Deadline::after(cluster.clock, time), [this](merge::Page done) {
      ASSERT_FALSE(page) << "once";
      page = std::move(done);
    });
  }
  ScriptedLeaf& leaf(std::size_t i) { return cluster.leaf(i); }
  // Leaves that never answer a hello would be taken for dead.
  void greet() {
    for (std::size_t i : {0, 1, 2})
      while (leaf(i).hellos.open() > 0)
        leaf(i).hellos.answer(hello({i == 2 ? served(1, 3, {2}) : served(1, 3, {0, 1})}));
  }
  void fetch_all() {
    for (std::size_t i : {0, 1, 2})
      while (leaf(i).fetches.open() > 0) {
        for (const auto& asked : leaf(i).fetches.asked)
          if (*asked.done) {
            leaf(i).fetches.answer(documents(asked.request));
            break;
          }
      }
  }
  std::string ids() const {
    std::string out;
    for (const auto& hit : page->hits) out += hit.id + " ";
    return out;
  }
  std::string unsearched() const {
    std::string out;
    for (const auto& one : page->unsearched)
      out += std::to_string(one.partition) + ":" + std::string(name_of(one.reason)) + " ";
    return out;
  }

  ScriptedCluster cluster{3};
  ScatterContext context{cluster.map, cluster.timers};
  std::optional<merge::Page> page;
  std::shared_ptr<Abandonable> running;
  std::uint64_t hedged = 0;
};

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
  EXPECT_EQ(page->total, 4u);
  EXPECT_TRUE(page->total_exact);
}
TEST_F(ASearch, JudgesAutoByKNotByDepth) {
  start(milliseconds(1000), 5, 20);
  EXPECT_EQ(leaf(0).searches.last().depth, 25u);
  EXPECT_EQ(leaf(0).searches.last().auto_needs, 5u);
}
TEST_F(ASearch, NeedsNoSecondTripWithoutHits) {
  start();
  leaf(0).searches.answer(found({}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(page->total, 0u);
}
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
TEST_F(ASearch, AsksAnotherReplicaOnceOnly) {
  start();
  leaf(0).searches.answer(Error(Code::kOverloaded, "full"));
  leaf(1).searches.answer(Error(Code::kOverloaded, "full"));
  leaf(2).searches.answer(found({{2, 3}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:overloaded 1:overloaded ");
  EXPECT_FALSE(page->total_exact);
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
TEST_F(ASearch, EndsAtOnceWhereNobodyIsLeft) {
  for (std::size_t i : {0, 1, 2}) cluster.map.report_unavailable(cluster.map.leaves()[i], "down");
  start();
  ASSERT_TRUE(page);
  EXPECT_EQ(page->partitions_answered(), 0u);
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
TEST_F(ASearch, HedgesAfterHalfOfTheTimeAndTakesTheFirstAnswer) {
  start(milliseconds(1000));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(449));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
  cluster.advance(milliseconds(1));
  ASSERT_EQ(leaf(1).searches.open(), 1u);
  EXPECT_EQ(context.hedging.counters().sent, 1u);
  leaf(1).searches.answer(found({{0, 9}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_EQ(leaf(0).cancelled, 1u) << "nobody waits for the slower one";
  EXPECT_EQ(leaf(0).searches.open(), 0u);
}
// One in twenty, and some at once after a calm time.
TEST_F(ASearch, HedgesAShareOfSearchesOnly) {
  context.hedging = Hedging({.share = 0.05});
  const auto slow_searches = [&](int count) {
    const auto before = context.hedging.counters().sent;
    for (int i = 0; i < count; ++i) {
      greet();
      start(milliseconds(1000));
      leaf(2).searches.answer(found({}));
      cluster.advance(milliseconds(450));
      for (std::size_t one : {0, 1})
        while (leaf(one).searches.open() > 0) leaf(one).searches.answer(found({}));
      ASSERT_TRUE(page);
      page.reset();
    }
    hedged = context.hedging.counters().sent - before;
  };
  slow_searches(100);
  EXPECT_GE(hedged, 10u);
  EXPECT_LE(hedged, 22u) << "what was saved, and 5 % of 200 requests to leaves";
  slow_searches(400);
  EXPECT_LE(hedged, 41u);
  EXPECT_GE(hedged, 38u);
  EXPECT_GT(context.hedging.counters().over_budget, 400u);
}
TEST_F(ASearch, DoesNotHedgeWithALeafThatHasMuchToDo) {
  context.hedging = Hedging({.share = 0.05, .max_leaf_in_flight = 100});
  leaf(1).extra_in_flight = 51;
  start(milliseconds(1000));
  cluster.advance(milliseconds(450));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
  EXPECT_EQ(context.hedging.counters().overloaded, 1u);
  auto full = hello({served(1, 3, {0, 1})});
  full.queue_depth = 2049;
  full.queue_limit = 4096;
  leaf(1).extra_in_flight = 5;
  cluster.advance(milliseconds(60));
  leaf(1).hellos.answer(full);
  start(milliseconds(1000));
  ASSERT_EQ(leaf(0).searches.open(), 2u);
  cluster.advance(milliseconds(450));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
  EXPECT_EQ(context.hedging.counters().overloaded, 2u);
  for (std::size_t i : {0, 2})
    while (leaf(i).searches.open() > 0) leaf(i).searches.answer(found({})), page.reset();
}
TEST_F(ASearch, NeverHedgesWithoutAShare) {
  context.hedging = Hedging({.share = 0});
  start(milliseconds(1000));
  cluster.advance(milliseconds(450));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
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
// A leaf may send what it found in a partition before that failed: another is asked for all of the partition.
TEST_F(ASearch, CountsAPartitionOnceThatItAskedOfAnotherReplica) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}, {{1, wire::UnsearchedReason::kCorrupt}}));
  leaf(1).searches.answer(found({{1, 8}, {4, 7}}));
  leaf(2).searches.answer(found({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 d4 ");
  EXPECT_EQ(page->total, 3u);
}
TEST_F(ASearch, ShowsNoDocumentTwiceWhateverLeavesSay) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {2, 5}}));
  leaf(2).searches.answer(found({{2, 7}, {5, 6}, {0, 1}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d2 d5 ");
}
TEST_F(ASearch, TakesThePartOfASlowLeafWhenItsHedgeFails) {
  start(milliseconds(1000));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(450));
  leaf(0).searches.answer(found({{0, 9}}, {{1, wire::UnsearchedReason::kDeadline}}));
  EXPECT_FALSE(page);
  leaf(1).searches.answer(Error(Code::kUnavailable, "gone"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_EQ(unsearched(), "1:deadline ");
}
TEST_F(ASearch, DoesNotBelieveARankingOutOfOrder) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 1}, {1, 9}}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ");
}
TEST_F(ASearch, DoesNotBelieveALeafThatSpeaksOfOtherPartitions) {
  no_replica();
  start();
  leaf(0).searches.answer(found({}, {{2, wire::UnsearchedReason::kDeadline}}));
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ");
}
// Else it could pass for one that searched nothing, and need not rank anything.
TEST_F(ASearch, DoesNotBelieveALeafThatSpeaksOfAPartitionTwice) {
  no_replica();
  start();
  wire::SearchReply nothing;
  nothing.unsearched = {{0, wire::UnsearchedReason::kDeadline}, {0, wire::UnsearchedReason::kDeadline}};
  leaf(0).searches.answer(nothing);
  leaf(2).searches.answer(found({}));
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "0:corrupt 1:corrupt ") << "nobody has searched partition 1";
}
TEST_F(ASearch, KeepsALeafInServiceThatRefusesToFetchForOverload) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(2).fetches.answer(Error(Code::kOverloaded, "1024 tasks wait"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "2:overloaded ");
  EXPECT_TRUE(cluster.map.leaves()[2]->healthy);
  EXPECT_TRUE(cluster.map.topology()->whole());
}
TEST_F(ASearch, AsksALeafAgainWhatItServesThatHasLeftTheGenerationBetweenTheTrips) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  const std::size_t before = leaf(0).hellos.asked.size();
  leaf(0).fetches.answer(Error(Code::kNotFound, "generation 1 is not served"));
  EXPECT_TRUE(cluster.map.leaves()[0]->healthy);
  cluster.advance(milliseconds(0));
  EXPECT_EQ(leaf(0).hellos.asked.size(), before + 1);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(page->hits.size(), 1u) << "from the other replica";
}
TEST_F(ASearch, FetchesFromAnotherReplicaWhenTheFirstDiesBetweenTheTrips) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  EXPECT_EQ(leaf(1).fetches.open(), 1u);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 d2 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, DropsTheHitsOfALeafThatDiesBetweenTheTrips) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d2 ");
  EXPECT_EQ(unsearched(), "0:unavailable 1:unavailable ");
  EXPECT_FALSE(page->total_exact);
}
TEST_F(ASearch, DropsTheWholePartitionOfADocumentThatIsNotThere) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}, {3, 7}}));
  leaf(2).searches.answer(found({}));
  auto reply = documents(leaf(0).fetches.last());
  reply.documents[0].found = false;
  leaf(0).fetches.answer(reply);
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 ") << "d3 is of partition 0 as well";
  EXPECT_EQ(unsearched(), "0:corrupt ");
}
TEST_F(ASearch, EndsAtItsDeadlineWhenTitlesAreLate) {
  no_replica();
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(1000));
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "");
  EXPECT_EQ(unsearched(), "0:deadline ");
}
}  // namespace
}  // namespace frond::broker::scatter
