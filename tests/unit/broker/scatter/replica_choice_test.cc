#include "broker/scatter/scatter_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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
TEST_F(ReplicaChoice, GivesALeafThatComesBackWithColdCachesNoMoreThanItAnswers) {
  constexpr std::size_t kCold = 30;  // its first searches take 40 ms, those after them and the other leaf's 2 ms
  std::vector<double> open[2];       // when what each leaf has will be answered
  std::size_t asked[2] = {}, while_cold = 0, most = 0, warm[2] = {};
  const std::vector<std::uint32_t> first = {0};
  for (std::size_t turn = 0; turn < 4000; ++turn) {
    const double now = 2.5 * static_cast<double>(turn);
    for (const std::size_t i : {0, 1}) {
      std::erase_if(open[i], [&](double over) { return over <= now; });
      cluster.leaf(i).extra_in_flight = open[i].size();
    }
    const std::size_t to = assign(*topology, first, {}, turn).shares.front().leaf == leaf(1);
    const bool cold = to == 1 && asked[1] < kCold;
    open[to].push_back(std::max(now, open[to].empty() ? 0 : open[to].back()) + (cold ? 40 : 2));
    ++asked[to];
    most = std::max(most, open[1].size());
    while_cold += asked[1] < kCold;
    warm[to] += asked[1] > kCold;
  }
  EXPECT_EQ(most, 1u) << "none waits there";
  EXPECT_LT(kCold * 10, while_cold) << "it gets less than a tenth meanwhile";
  EXPECT_NEAR(static_cast<double>(warm[1]), static_cast<double>(warm[0]), 10) << "then its half";
}
}  // namespace
}  // namespace frond::broker::scatter
