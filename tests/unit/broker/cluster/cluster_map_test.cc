#include "broker/cluster/cluster_map.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_cluster.h"

namespace frond::broker {
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
TEST(ClusterMap, SaysOnceWhyALeafStaysDown) {
  ScriptedCluster cluster(1);
  const auto fail = [&](const std::string& why) {
    cluster.leaf(0).hellos.answer(Error(Code::kUnavailable, why));
    cluster.advance(milliseconds(200));
  };
  const LeafRef leaf = cluster.map.leaves()[0];
  for (int i = 0; i < 4; ++i) fail("no route");
  EXPECT_EQ(leaf->told_error, "") << "it may be starting";
  fail("no route");
  EXPECT_EQ(leaf->told_error, "no route");
  const Instant told = leaf->told_at;
  for (int i = 0; i < 20; ++i) fail(i % 2 ? "no route" : "refused");
  EXPECT_EQ(leaf->told_at, told) << "not every few hundred milliseconds";
  cluster.leaf(0).hellos.answer(lost());
  cluster.advance(milliseconds(30'000));
  fail("refused");
  EXPECT_EQ(leaf->told_error, "refused");
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}));
  EXPECT_EQ(leaf->told_error, "");
}
TEST(ClusterMap, DoesNotUseALeafOfAnotherCollection) {
  ScriptedCluster cluster(1);
  cluster.leaf(0).hellos.answer(hello({served(1, 1, {0})}, "other"));
  EXPECT_FALSE(cluster.map.ready());
  EXPECT_NE(cluster.map.leaves()[0]->last_error.find("other"), std::string::npos);
}
TEST(ClusterMap, FollowsTheSetOfLeaves) {
  ScriptedCluster cluster(2);
  for (int i : {0, 1}) cluster.leaf(i).hellos.answer(hello({served(1, 1, {0})}));
  const auto before = cluster.map.topology();
  const LeafRef kept = cluster.map.leaves()[0];
  ASSERT_TRUE(cluster.map.set_leaves({"tcp://0", "tcp://2", "tcp://2"}));
  cluster.timers.run_due();
  ASSERT_EQ(cluster.map.leaves().size(), 2u);
  EXPECT_EQ(cluster.map.leaves()[0], kept);
  EXPECT_EQ(cluster.map.topology()->partitions[0].replicas.size(), 1u);
  EXPECT_FALSE(before->partitions[0].replicas[1]->healthy) << "queries in flight see that it left";
  EXPECT_EQ(cluster.leaf(2).hellos.open(), 1u);
}
TEST(ClusterMap, TakesTheGoodOfSeveralAddresses) {
  ScriptedCluster cluster(0);
  EXPECT_EQ(cluster.map.set_leaves({"tcp://bad", "tcp://1"}), Code::kInvalid);
  EXPECT_EQ(cluster.map.leaves().size(), 1u);
}
}  // namespace
}  // namespace frond::broker
