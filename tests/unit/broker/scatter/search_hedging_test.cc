// When a search asks a second replica because the first is slow.
#include <array>

#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using std::chrono::milliseconds;
using support::found;
using support::hello;
using support::served;

// Searches of partitions 0 and 1 that the leaf that is asked answers after `took`.
class AHedgedSearch : public ASearch {
 protected:
  void answer_all(int count, milliseconds took) {
    for (int i = 0; i < count; ++i) {
      greet();
      start(milliseconds(20'000));
      cluster.advance(took);
      for (std::size_t one : {0, 1, 2})
        while (leaf(one).searches.open() > 0) leaf(one).searches.answer(found({}));
      ASSERT_TRUE(page);
      page.reset();
    }
  }
};

TEST_F(AHedgedSearch, GoesToTheOtherReplicaAfterTwiceTheUsualTimeHoweverLongItMayTake) {
  answer_all(20, milliseconds(3));
  const auto sent = context.hedging.counters().sent;
  EXPECT_EQ(sent, 0u);
  start(milliseconds(20'000));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(5));
  EXPECT_EQ(leaf(0).searches.open() + leaf(1).searches.open(), 1u);
  cluster.advance(milliseconds(1));
  EXPECT_EQ(leaf(0).searches.open() + leaf(1).searches.open(), 2u);
  EXPECT_EQ(context.hedging.counters().sent, sent + 1);
}
TEST_F(AHedgedSearch, LeavesASilentReplicaInPeaceUntilItSaysSomething) {
  answer_all(20, milliseconds(3));
  for (int i = 0; i < 5; ++i) {  // leaf 0 hangs
    start(milliseconds(20'000));
    leaf(2).searches.answer(found({}));
    if (leaf(1).searches.open() == 0) cluster.advance(milliseconds(10));
    leaf(1).searches.answer(found({}));
    ASSERT_TRUE(page);
    page.reset();
  }
  EXPECT_EQ(context.hedging.counters().sent, 1u) << "it is not asked again";
  EXPECT_TRUE(cluster.map.leaves()[0]->silent);
  EXPECT_FALSE(cluster.map.leaves()[1]->silent);
  cluster.advance(milliseconds(2000));
  greet();
  EXPECT_FALSE(cluster.map.leaves()[0]->silent);
}
TEST_F(AHedgedSearch, IsNotLateByTheTimesOfCheapOnesIfItIsCostly) {
  answer_all(20, milliseconds(3));
  SearchPlan plan;
  plan.topology = cluster.map.topology();
  plan.request.mode = wire::Mode::kOr;
  plan.request.terms = {{"word", 1}};
  plan.request.processor = wire::Processor::kExhaustive;
  running = search(context, std::move(plan), Deadline::after(cluster.clock, milliseconds(1000)),
                   [this](merge::Page done) { page = std::move(done); });
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(449));
  EXPECT_EQ(context.hedging.counters().sent, 0u);
  cluster.advance(milliseconds(1));
  EXPECT_EQ(context.hedging.counters().sent, 1u) << "half of its time";
}
TEST_F(AHedgedSearch, IsNotSentToBothWhereAllAreSlow) {
  answer_all(200, milliseconds(3));
  const auto sent = context.hedging.counters().sent;
  answer_all(200, milliseconds(30));
  EXPECT_LE(context.hedging.counters().sent - sent, 40u) << "soon 30 ms are usual";
}

TEST_F(AHedgedSearch, IsLateByTheTimesOfTheOtherReplicaToo) {
  for (int i = 0; i < 128; ++i) {
    cluster.map.leaves()[0]->usual.add(milliseconds(200));
    cluster.map.leaves()[1]->usual.add(milliseconds(3));
  }
  leaf(1).extra_in_flight = 1;
  start(milliseconds(1000));
  leaf(2).searches.answer(found({}));
  ASSERT_EQ(leaf(0).searches.open(), 1u);
  cluster.advance(milliseconds(11));
  EXPECT_EQ(leaf(1).searches.open(), 0u);
  cluster.advance(milliseconds(1));
  EXPECT_EQ(leaf(1).searches.open(), 1u);
}
// Far more than hedges are saved for: the first ones show that it hangs, and then it is not load that is added.
TEST_F(AHedgedSearch, LeavesALeafThatHangsWithAllThatWereAskedOfIt) {
  answer_all(20, milliseconds(3));
  leaf(1).extra_in_flight = 200;
  SearchPlan plan;
  plan.topology = cluster.map.topology();
  plan.request.mode = wire::Mode::kOr;
  plan.request.terms = {{"word", 1}};
  std::vector<std::shared_ptr<Abandonable>> all;
  int whole = 0;
  for (int i = 0; i < 100; ++i)
    all.push_back(search(context, plan, Deadline::after(cluster.clock, milliseconds(1000)),
                         [&](merge::Page done) { whole += done.whole(); }));
  ASSERT_EQ(leaf(0).searches.open(), 100u);
  for (int ms = 0; ms < 30; ++ms) {
    cluster.advance(milliseconds(1));
    for (std::size_t one : {1, 2})
      while (leaf(one).searches.open() > 0) leaf(one).searches.answer(found({}));
  }
  EXPECT_EQ(whole, 100);
  for (const auto& one : all) one->abandon();
}

TEST_F(ASearch, HedgesAfterAQuarterOfASecondWhereNoTimesAreKnownAndTakesTheFirstAnswer) {
  start(milliseconds(1000));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(249));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
  cluster.advance(milliseconds(1));
  ASSERT_EQ(leaf(1).searches.open(), 1u);
  EXPECT_EQ(context.hedging.counters().sent, 1u);
  leaf(1).searches.answer(found({{0, 9}}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_EQ(leaf(0).cancelled, 1u) << "the slower reply is not wanted any more";
  EXPECT_EQ(leaf(0).searches.open(), 0u);
}
TEST_F(ASearch, HedgesWhatFetchesItsDocuments) {
  leaf(1).extra_in_flight = 1;
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  ASSERT_EQ(leaf(0).fetches.open(), 1u);
  cluster.advance(milliseconds(249));
  EXPECT_EQ(leaf(1).fetches.open(), 0u);
  cluster.advance(milliseconds(1));
  ASSERT_EQ(leaf(1).fetches.open(), 1u);
  leaf(1).fetches.answer(support::documents(leaf(1).fetches.asked.back().request));
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(leaf(0).cancelled, 1u);
  EXPECT_TRUE(cluster.map.leaves()[0]->silent);
}
TEST_F(ASearch, TakesTheDocumentsOfASlowLeafWhenItsHedgeFails) {
  leaf(1).extra_in_flight = 1;
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(250));
  leaf(1).fetches.answer(Error(Code::kUnavailable, "gone"));
  EXPECT_FALSE(page);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, WaitsForTheDocumentsThatItsHedgeLacks) {
  leaf(1).extra_in_flight = 1;
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(250));
  auto replies = std::array{support::documents(leaf(1).fetches.last()), support::documents(leaf(0).fetches.last())};
  for (std::size_t i : {0, 1}) replies[i].documents[i].found = false;  // one partition is cut at each leaf
  leaf(1).fetches.answer(replies[0]);
  EXPECT_FALSE(page);
  EXPECT_FALSE(cluster.map.leaves()[0]->silent);
  ASSERT_EQ(leaf(0).fetches.open(), 1u);
  leaf(0).fetches.answer(replies[1]);
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, HasTheDocumentsOfItsHedgeWhenTheSlowLeafFails) {
  leaf(1).extra_in_flight = 1;
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(250));
  auto reply = support::documents(leaf(1).fetches.last());
  reply.documents[0].found = false;
  leaf(1).fetches.answer(reply);
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 ");
  EXPECT_EQ(unsearched(), "0:corrupt ");
}
TEST_F(ASearch, DoesNotHedgeAFetchWithTheLeafThatFailedIt) {
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  leaf(0).fetches.answer(Error(Code::kOverloaded, "full"));
  ASSERT_EQ(leaf(1).fetches.open(), 1u);
  cluster.advance(milliseconds(450));
  EXPECT_EQ(leaf(0).fetches.asked.size(), 1u);
}
// After 250, 750 and 1,750 ms.
TEST_F(ASearch, AsksForAWithheldHedgeLessAndLessOftenAndCountsItOnce) {
  for (const bool fetching : {false, true}) {
    context.hedging = Hedging({.share = 0.05, .max_leaf_in_flight = 100});
    leaf(1).extra_in_flight = 51;
    greet();
    start(milliseconds(20'000));
    leaf(2).searches.answer(found({}));
    if (fetching) leaf(0).searches.answer(found({{0, 9}}));
    for (int ms : {250, 500, 500}) cluster.advance(milliseconds(ms)), greet();
    leaf(1).extra_in_flight = 0;
    cluster.advance(milliseconds(499));
    EXPECT_EQ(leaf(1).searches.open() + leaf(1).fetches.open(), 0u);
    cluster.advance(milliseconds(1));
    EXPECT_EQ(leaf(1).searches.open() + leaf(1).fetches.open(), 1u);
    EXPECT_EQ(context.hedging.counters().overloaded, 1u);
    running->abandon();
  }
}
// One in twenty, and several at once after a calm time.
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
TEST_F(ASearch, DoesNotHedgeWithABusyLeaf) {
  context.hedging = Hedging({.share = 0.05, .max_leaf_in_flight = 100});
  leaf(1).extra_in_flight = 51;
  start(milliseconds(1000));
  cluster.advance(milliseconds(450));
  EXPECT_EQ(leaf(1).searches.asked.size(), 0u);
  EXPECT_EQ(context.hedging.counters().overloaded, 1u);
  for (std::size_t i : {0, 2}) leaf(i).searches.answer(found({}));
  page.reset();
  auto full = hello({served(1, 3, {0, 1})});
  full.queue_depth = 2049;
  full.queue_limit = 4096;
  leaf(1).extra_in_flight = 5;
  cluster.advance(milliseconds(60));
  leaf(1).hellos.answer(full);
  start(milliseconds(1000));
  ASSERT_EQ(leaf(0).searches.open(), 1u);
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
}  // namespace
}  // namespace frond::broker::scatter
