#include "broker/cluster/cluster_map.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_cluster.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;
using support::hello;
using support::ScriptedCluster;
using support::served;

Error lost() { return Error(Code::kUnavailable, "lost"); }

TEST(ClusterMap, AsksEveryLeafAtOnceAndThenAgain) {
  ScriptedCluster cluster(2);
  EXPECT_EQ(cluster.map.topology(), nullptr);
  cluster.leaf(0).hellos.answer(hello({served(1, 2, {0})}));
  EXPECT_FALSE(cluster.map.ready());
  cluster.leaf(1).hellos.answer(hello({served(1, 2, {1})}));
  EXPECT_TRUE(cluster.map.ready());
  EXPECT_TRUE(cluster.map.topology()->whole());
  EXPECT_EQ(cluster.leaf(0).hellos.open(), 0u);
  cluster.advance(milliseconds(500));
  EXPECT_EQ(cluster.leaf(0).hellos.open(), 1u);
}
TEST(ClusterMap, CountsALostConnectionAtOnceAndSilenceAfterAWhile) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 2, {static_cast<std::uint32_t>(i)})}));
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(lost());
  EXPECT_FALSE(cluster.map.leaves()[0]->healthy);
  cluster.advance(milliseconds(1000));  // leaf 1 is silent for one hello
  EXPECT_TRUE(cluster.map.leaves()[1]->healthy);
  cluster.advance(milliseconds(500));
  cluster.advance(milliseconds(1000));
  EXPECT_FALSE(cluster.map.leaves()[1]->healthy);
}
TEST(ClusterMap, KeepsALeafThatAnswersOtherRequestsThanItsHellos) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  for (int i = 0; i < 5; ++i) {
    cluster.advance(milliseconds(500));
    ASSERT_EQ(cluster.leaf(0).hellos.open(), 1u) << "it is asked again";
    cluster.leaf(0).hellos.answer(Error(Code::kOverloaded, "no reply in time, but to other requests"));
    EXPECT_TRUE(cluster.map.leaves()[0]->healthy);
  }
  EXPECT_EQ(cluster.map.leaves()[0]->failures, 0u);
}
TEST(ClusterMap, StaysReadyWhileSomePartitionHasALeaf) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 2, {static_cast<std::uint32_t>(i)})}));
  cluster.map.report_unavailable(cluster.map.leaves()[0], "gone");
  EXPECT_TRUE(cluster.map.ready());
  EXPECT_EQ(cluster.map.topology()->covered, 1u);
  cluster.map.report_unavailable(cluster.map.leaves()[1], "gone");
  EXPECT_FALSE(cluster.map.ready());
  EXPECT_EQ(cluster.map.topology()->generation, 1u) << "still says what is lacking";
}
TEST(ClusterMap, AsksALeafThatFailedAtOnceAndTakesItBack) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  cluster.map.report_unavailable(cluster.map.leaves()[0], "gone");
  cluster.timers.run_due();
  ASSERT_EQ(cluster.leaf(0).hellos.open(), 1u);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_TRUE(cluster.map.leaves()[0]->healthy);
  EXPECT_TRUE(cluster.map.topology()->whole());
}
TEST(ClusterMap, AsksALeafAgainWhenToldThatItServesSomethingElse) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  cluster.map.refresh(cluster.map.leaves()[0]);
  cluster.timers.run_due();
  ASSERT_EQ(cluster.leaf(0).hellos.open(), 1u);
  cluster.leaf(0).hellos.answer(hello({served(2, 1, {0})}));
  EXPECT_EQ(cluster.map.topology()->generation, 2u);
}
TEST(ClusterMap, AsksAllLeavesWhenAnotherThreadServesAnotherGeneration) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 2, {static_cast<std::uint32_t>(i)})}));
  cluster.map.refresh_unless({1, support::content_of(1)});
  cluster.timers.run_due();
  EXPECT_EQ(cluster.leaf(0).hellos.open(), 0u) << "it serves from that";
  cluster.map.refresh_unless({2, support::content_of(2)});
  cluster.timers.run_due();
  for (int i : {0, 1}) EXPECT_EQ(cluster.leaf(i).hellos.open(), 1u);
}
TEST(ClusterMap, TellsAllLeavesAtOnceWhenItServesAnotherGeneration) {
  for (const bool under_way : {false, true}) {
    ScriptedCluster cluster(2);
    for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 1, {0})}));
    cluster.advance(milliseconds(500));
    const auto both = hello({served(1, 1, {0}), served(2, 1, {0})});
    cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
    if (!under_way) cluster.leaf(1).hellos.answer(hello({served(1, 1, {0})}));
    cluster.leaf(0).news(both);
    ASSERT_EQ(cluster.map.topology()->generation, 2u);
    if (under_way) cluster.leaf(1).hellos.answer(hello({served(1, 1, {0})}));
    cluster.timers.run_due();
    ASSERT_EQ(cluster.leaf(1).hellos.open(), 1u) << under_way;
    EXPECT_EQ(cluster.leaf(1).hellos.last().broker.serving.number, 2u) << "or it would leave what it does not serve";
    cluster.leaf(1).hellos.answer(both);
    cluster.timers.run_due();
    EXPECT_EQ(cluster.leaf(1).hellos.open(), 0u) << "once";
  }
}
TEST(ClusterMap, SaysOnceWhyALeafStaysDown) {
  ScriptedCluster cluster(1);
  const auto fail = [&](const std::string& why) {
    cluster.leaf(0).hellos.answer(Error(Code::kUnavailable, why));
    cluster.advance(milliseconds(200));
  };
  const LeafRef leaf = cluster.map.leaves()[0];
  for (int i = 0; i < 4; ++i) fail("no route");
  EXPECT_EQ(leaf->logged_error, "") << "it may be starting";
  fail("no route");
  EXPECT_EQ(leaf->logged_error, "no route");
  const Instant told = leaf->logged_at;
  for (int i = 0; i < 20; ++i) fail(i % 2 ? "no route" : "refused");
  EXPECT_EQ(leaf->logged_at, told) << "not every few hundred milliseconds";
  cluster.leaf(0).hellos.answer(lost());
  cluster.advance(milliseconds(30'000));
  fail("refused");
  EXPECT_EQ(leaf->logged_error, "refused");
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_EQ(leaf->logged_error, "");
}
TEST(ClusterMap, DoesNotUseALeafOfAnotherCollection) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "other"));
  EXPECT_FALSE(cluster.map.ready());
  EXPECT_NE(cluster.map.leaves()[0]->last_error.find("other"), std::string::npos);
  const std::string lacking = cluster.map.lacking();
  EXPECT_NE(lacking.find("leaf " + cluster.map.leaves()[0]->endpoint + " serves collection 'other', not"), lacking.npos)
      << lacking;
}
TEST(ClusterMap, LeavesALeafToTheOtherCollectionOfItsBroker) {
  ScriptedCluster cluster(2, {"other"});
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "other"));
  cluster.leaf(1).hellos.answer(hello({served(1, 1, {0})}));
  const LeafRef other = cluster.map.leaves()[0];
  EXPECT_TRUE(other->elsewhere);
  EXPECT_FALSE(other->healthy);
  EXPECT_EQ(other->failures, 0u);
  EXPECT_TRUE(cluster.map.ready());
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 1u);
  cluster.advance(milliseconds(500));
  EXPECT_EQ(cluster.leaf(0).hellos.last().broker.collection, "c")
      << "so that the leaf does not take it for a broker of its own";
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));  // started again with this collection
  EXPECT_FALSE(other->elsewhere);
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 2u);
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "other"));
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 1u);
}
TEST(ClusterMap, LacksNoLeafThatTurnsToTheOtherCollectionOfItsBroker) {
  ScriptedCluster cluster(1, {"other"});
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "unknown"));
  EXPECT_NE(cluster.map.lacking().find("'unknown'"), std::string::npos) << cluster.map.lacking();
  while (cluster.leaf(0).hellos.open() == 0) cluster.advance(milliseconds(100));
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "other"));
  EXPECT_TRUE(cluster.map.leaves()[0]->elsewhere);
  EXPECT_EQ(cluster.map.lacking().find("serves collection"), std::string::npos) << cluster.map.lacking();
}
// The leaf's next hello is answered with the partitions `numbers` of two.
void meet(ScriptedCluster& cluster, std::size_t leaf, std::vector<std::uint32_t> numbers) {
  while (cluster.leaf(leaf).hellos.open() == 0) cluster.advance(milliseconds(100));
  cluster.leaf(leaf).hellos.answer(hello({served(1, 2, std::move(numbers))}));
}
TEST(ClusterMap, IsReadyWithoutAllPartitionsAfterAWhile) {
  ScriptedCluster cluster(2);
  EXPECT_EQ(cluster.map.lacking(), "no leaf serves a generation");
  const Instant end = cluster.clock.now() + std::chrono::seconds(60);
  while (cluster.clock.now() < end) {
    if (cluster.leaf(0).hellos.open() > 0) meet(cluster, 0, {0});
    EXPECT_FALSE(cluster.map.ready());
    EXPECT_EQ(cluster.map.lacking(), "1 of 2 partitions have no leaf");
    cluster.advance(milliseconds(500));
  }
  EXPECT_TRUE(cluster.map.ready());
  cluster.map.report_unavailable(cluster.map.leaves()[0], "gone");
  EXPECT_FALSE(cluster.map.ready()) << "no partition has a leaf";
  meet(cluster, 0, {0});
  EXPECT_TRUE(cluster.map.ready());
  meet(cluster, 1, {1});
  EXPECT_EQ(cluster.map.lacking(), "");
}
TEST(ClusterMap, IsReadyWithTheFirstLeafThatComesLate) {
  ScriptedCluster cluster(1);
  cluster.advance(std::chrono::seconds(60));
  EXPECT_FALSE(cluster.map.ready());
  meet(cluster, 0, {0});
  EXPECT_TRUE(cluster.map.ready());
}
TEST(ClusterMap, RemembersThatItWasWhole) {
  ScriptedCluster cluster(1);
  EXPECT_FALSE(cluster.map.settled());
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_TRUE(cluster.map.settled());
  cluster.map.report_unavailable(cluster.map.leaves()[0], "gone");
  EXPECT_FALSE(cluster.map.ready());
  EXPECT_TRUE(cluster.map.settled());
}
TEST(ClusterMap, FollowsTheSetOfLeaves) {
  ScriptedCluster cluster(2);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  cluster.leaf(1).hellos.answer(lost());
  const LeafRef kept = cluster.map.leaves()[0];
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://0", "tcp://2", "tcp://2"}));
  cluster.timers.run_due();
  ASSERT_EQ(cluster.map.leaves().size(), 2u);
  EXPECT_EQ(cluster.map.leaves()[0], kept);
  EXPECT_EQ(cluster.leaf(2).hellos.open(), 1u);
}
// Two DNS caches disagree, or one is old: whoever answers is there.
TEST(ClusterMap, KeepsALeafThatAnswersThoughItIsNotListedUntilItStops) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 1, {0})}));
  const auto before = cluster.map.topology();
  const LeafRef unlisted = cluster.map.leaves()[1];
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://0"}));
  EXPECT_EQ(cluster.map.leaves().size(), 2u);
  EXPECT_FALSE(unlisted->listed);
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 2u);
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://0", "tcp://1"}));
  EXPECT_TRUE(unlisted->listed);
  EXPECT_EQ(cluster.map.leaves().size(), 2u) << "the same, with its connection";
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://0"}));
  const auto both = [&](Result<wire::HelloReply> of_1) {
    cluster.advance(milliseconds(500));
    while (cluster.leaf(0).hellos.open() > 0) cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
    cluster.leaf(1).hellos.answer(std::move(of_1));
  };
  both(hello({served(1, 1, {0})}));
  both(lost());
  EXPECT_FALSE(before->partitions[0].replicas[1]->healthy) << "queries in flight see that it left";
  EXPECT_EQ(cluster.map.leaves().size(), 2u) << "perhaps only its connection broke";
  for (int i = 0; i < 18; ++i) both(lost());
  EXPECT_EQ(cluster.map.leaves().size(), 2u);
  both(lost());
  EXPECT_EQ(cluster.map.leaves().size(), 1u) << "silent for 10 s";
}
TEST(ClusterMap, TellsEachLeafWhatItServesFromAndWhetherItIsNeeded) {
  ScriptedCluster cluster(2);
  EXPECT_EQ(cluster.leaf(0).hellos.last().broker.instance, 7u);
  EXPECT_EQ(cluster.leaf(0).hellos.last().broker.name, "broker:1");
  EXPECT_EQ(cluster.leaf(0).hellos.last().broker.serving, GenerationId()) << "none yet";
  cluster.leaf(0).hellos.answer(hello({served(3, 2, {0, 1})}));
  cluster.leaf(1).hellos.answer(hello({served(3, 2, {1})}));
  cluster.advance(milliseconds(500));
  const auto& first = cluster.leaf(0).hellos.last().broker;
  EXPECT_EQ(first.serving, (GenerationId{3, support::content_of(3)}));
  EXPECT_EQ(first.hello_every, milliseconds(500));
  EXPECT_TRUE(first.needs_leaf) << "nobody else has partition 0";
  EXPECT_FALSE(cluster.leaf(1).hellos.last().broker.needs_leaf);
}
TEST(ClusterMap, TurnsFromALeafThatSaysThatItDrainsAndTellsItThatItMayGo) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 1, {0})}));
  auto goodbye = hello({});
  goodbye.draining = true;
  cluster.leaf(0).news(goodbye);
  const auto& replicas = cluster.map.topology()->partitions[0].replicas;
  ASSERT_EQ(replicas.size(), 1u);
  EXPECT_EQ(replicas[0], cluster.map.leaves()[1]);
  EXPECT_TRUE(cluster.map.leaves()[0]->healthy) << "what it was asked before it answers";
  cluster.timers.run_due();
  ASSERT_EQ(cluster.leaf(0).hellos.open(), 1u) << "at once";
  EXPECT_FALSE(cluster.leaf(0).hellos.last().broker.needs_leaf);
  cluster.leaf(0).hellos.answer(goodbye);
  cluster.map.report_unavailable(cluster.map.leaves()[1], "gone");
  EXPECT_TRUE(cluster.map.topology()->whole()) << "better a leaf that ends soon than none";
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://1"}));
  EXPECT_EQ(cluster.map.leaves().size(), 2u) << "not listed, but there";
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(lost());
  EXPECT_EQ(cluster.map.leaves().size(), 1u) << "it said that it would go";
}
TEST(ClusterMap, TakesALeafBackThatStartsAgainWhereItDrained) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  auto goodbye = hello({});
  goodbye.draining = true;
  cluster.leaf(0).news(goodbye);
  cluster.timers.run_due();
  EXPECT_TRUE(cluster.leaf(0).hellos.last().broker.needs_leaf);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_FALSE(cluster.map.leaves()[0]->draining());
  EXPECT_TRUE(cluster.map.topology()->whole());
}
// A repository was made anew, and begins with a low number; one leaf never takes it.
TEST(ClusterMap, DoesNotGoBackToWhatWasSupersededThoughItsNumberIsHigher) {
  ScriptedCluster cluster(2);
  const auto told = [&](std::vector<wire::ServedGeneration> by_0, std::vector<wire::ServedGeneration> by_1) {
    cluster.advance(milliseconds(500));
    cluster.leaf(0).hellos.answer(hello(std::move(by_0)));
    cluster.leaf(1).hellos.answer(hello(std::move(by_1)));
  };
  const auto old = served(7, 1, {0}), anew = served(1, 1, {0});
  told({old}, {old});
  EXPECT_EQ(cluster.map.topology()->generation, 7u);
  told({old, anew}, {old});
  EXPECT_EQ(cluster.map.topology()->generation, 1u);
  told({anew}, {old});
  EXPECT_EQ(cluster.map.topology()->generation, 1u) << "who had both has let go of the old one";
  told({anew}, {anew, old});
  EXPECT_EQ(cluster.map.topology()->generation, 7u) << "a rollback";
}
TEST(ClusterMap, FindsOlderGenerationsAsLongAsEveryPartitionHasALeaf) {
  ScriptedCluster cluster(2);
  cluster.leaf(0).hellos.answer(hello({served(1, 2, {0}), served(2, 2, {0})}));
  cluster.leaf(1).hellos.answer(hello({served(1, 2, {1}), served(2, 2, {1})}));
  const GenerationId old{1, support::content_of(1)}, now{2, support::content_of(2)};
  EXPECT_EQ(cluster.map.topology_of(now), cluster.map.topology());
  ASSERT_NE(cluster.map.topology_of(old), nullptr);
  EXPECT_EQ(cluster.map.topology_of(old)->id(), old);
  EXPECT_EQ(cluster.map.topology_of({1, 5}), nullptr);
  cluster.advance(std::chrono::milliseconds(500));
  cluster.leaf(1).hellos.answer(hello({served(2, 2, {1})}));
  EXPECT_EQ(cluster.map.topology_of(old), nullptr);
  EXPECT_NE(cluster.map.topology_of(now), nullptr);
}
TEST(ClusterMap, KnowsThatAGenerationMayComeBackWithALeafThatIsDown) {
  ScriptedCluster cluster(3);
  const GenerationId old{1, support::content_of(1)};
  EXPECT_TRUE(cluster.map.may_come(old)) << "no leaf has said anything";
  cluster.leaf(0).hellos.answer(hello({served(1, 2, {0}), served(2, 2, {0})}));
  cluster.leaf(1).hellos.answer(hello({served(2, 2, {0, 1})}));
  EXPECT_TRUE(cluster.map.may_come(old)) << "one leaf has not said what it has";
  cluster.leaf(2).hellos.answer(hello({served(1, 2, {1}), served(2, 2, {1})}));
  EXPECT_NE(cluster.map.topology_of(old), nullptr);
  EXPECT_FALSE(cluster.map.may_come_from_one_that_is_down(old));

  cluster.map.report_unavailable(cluster.map.leaves()[2], "down");
  EXPECT_EQ(cluster.map.topology_of(old), nullptr);
  EXPECT_TRUE(cluster.map.topology()->whole());
  EXPECT_TRUE(cluster.map.may_come(old));
  EXPECT_TRUE(cluster.map.may_come_from_one_that_is_down(old));
  EXPECT_FALSE(cluster.map.may_come({1, 5})) << "other content";
  EXPECT_TRUE(cluster.map.may_come({3, 5})) << "another broker may know it";

  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(hello({served(2, 2, {0})}));
  EXPECT_FALSE(cluster.map.may_come(old)) << "no leaf has partition 0 of it, also if the other one comes back";
  cluster.leaf(2).hellos.answer(hello({served(2, 2, {1})}));
  EXPECT_FALSE(cluster.map.may_come_from_one_that_is_down(old));
}
TEST(ClusterMap, DoesNotExpectAGenerationAgainThatWasRolledBack) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0}), served(2, 1, {0})}));
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(hello({served(2, 1, {0}), served(1, 1, {0})}));
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_FALSE(cluster.map.may_come({2, support::content_of(2)}));
}
TEST(ClusterMap, ExpectsNothingOfALeafOfAnotherCollection) {
  ScriptedCluster cluster(2);
  cluster.leaf(0).hellos.answer(hello({served(2, 1, {0})}));
  cluster.leaf(1).hellos.answer(hello({served(1, 1, {0})}, "other"));
  EXPECT_FALSE(cluster.map.may_come({1, support::content_of(1)}));
}
TEST(ClusterMap, TurnsFromALeafOfBeforeThatDrains) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 1, {0})}));
  cluster.advance(milliseconds(500));
  cluster.leaf(0).hellos.answer(hello({}));  // it only names no generations
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 1u);
}
TEST(ClusterMap, TakesTheGoodOfSeveralAddresses) {
  ScriptedCluster cluster(0);
  EXPECT_EQ(cluster.map.set_leaves({"tcp://bad", "tcp://1"}), Code::kInvalid);
  EXPECT_EQ(cluster.map.leaves().size(), 1u);
}
}  // namespace
}  // namespace frond::broker::cluster
