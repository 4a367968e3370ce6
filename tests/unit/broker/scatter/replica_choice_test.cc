#include "broker/scatter/scatter_context.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_cluster.h"

namespace frond::broker::scatter {
namespace {
using support::hello;
using support::ScriptedCluster;
using support::served;

class ReplicaChoice : public testing::Test {
 protected:
  ReplicaChoice() {
    cluster.leaf(0).hellos.answer(hello({served(1, 3, {0, 1})}));
    cluster.leaf(1).hellos.answer(hello({served(1, 3, {0, 1})}));
    cluster.leaf(2).hellos.answer(hello({served(1, 3, {1, 2})}));
    topology = cluster.map.topology();
  }
  // "0:0,1 2:2": leaf and its partitions.
  std::string shares(std::size_t turn, std::vector<cluster::LeafRef> tried = {}) {
    const std::vector<std::uint32_t> all = {0, 1, 2};
    const auto assignment = assign(*topology, all, tried, turn);
    std::string out;
    for (const auto& share : assignment.shares) {
      out += (out.empty() ? "" : " ") + share.leaf->endpoint.substr(6) + ":";
      for (const auto partition : share.partitions) out += std::to_string(partition);
    }
    for (const auto partition : assignment.unsearched) out += " unsearched:" + std::to_string(partition);
    return out;
  }
  cluster::LeafRef leaf(std::size_t i) { return cluster.map.leaves()[i]; }

  ScriptedCluster cluster{3};
  std::shared_ptr<const cluster::Topology> topology;
};

TEST_F(ReplicaChoice, AsksFewLeavesAndTakesTurns) {
  EXPECT_EQ(shares(0), "0:01 2:2");
  EXPECT_EQ(shares(1), "1:01 2:2");
}
TEST_F(ReplicaChoice, PrefersTheLeafWithLessToDo) {
  cluster.leaf(0).extra_in_flight = 5;
  EXPECT_EQ(shares(0), "1:01 2:2");
  cluster.leaf(1).extra_in_flight = 9;
  EXPECT_EQ(shares(0), "0:0 2:12");
}
TEST_F(ReplicaChoice, PassesOverTheSickAndTheTried) {
  leaf(0)->healthy = false;
  EXPECT_EQ(shares(0), "1:01 2:2");
  EXPECT_EQ(shares(0, {leaf(1)}), "2:12 unsearched:0");
}
TEST_F(ReplicaChoice, FindsOneForAll) {
  const std::vector<std::uint32_t> pair = {0, 1}, all = {0, 1, 2};
  EXPECT_EQ(one_for_all(*topology, pair, std::vector{leaf(0)}), leaf(1));
  EXPECT_EQ(one_for_all(*topology, all, {}), nullptr);
  leaf(0)->silent = true;
  cluster.leaf(1).extra_in_flight = 5;
  EXPECT_EQ(one_for_all(*topology, pair, {}), leaf(1)) << "not the one that hangs, which has nothing to do any more";
}
}  // namespace
}  // namespace frond::broker::scatter
