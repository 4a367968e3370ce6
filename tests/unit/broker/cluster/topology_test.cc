#include "broker/cluster/topology.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_cluster.h"

namespace frond::broker {
namespace {
using support::hello;
using support::served;

LeafRef leaf(wire::HelloReply said, bool healthy = true) {
  auto out = std::make_shared<LeafNode>();
  out->healthy = healthy;
  out->said = std::move(said);
  return out;
}
Generation chosen(const std::vector<LeafRef>& leaves, Generation serving = 0) {
  const auto topology = draw_topology(leaves, serving);
  return topology ? topology->generation : 0;
}

TEST(Topology, IsNothingWithoutAHealthyLeaf) {
  EXPECT_EQ(chosen({}), 0u);
  EXPECT_EQ(chosen({leaf(hello({served(1, 1, {0})}), false)}), 0u);
}
TEST(Topology, TakesTheNewestGenerationThatIsWhole) {
  const auto a = leaf(hello({served(4, 2, {0}), served(5, 2, {0})}));
  EXPECT_EQ(chosen({a, leaf(hello({served(4, 2, {1})}))}, 4), 4u) << "5 lacks a partition";
  EXPECT_EQ(chosen({a, leaf(hello({served(4, 2, {1}), served(5, 2, {1})}))}, 4), 5u);
}
TEST(Topology, LeavesARolledBackGenerationOnceEveryLeafHas) {
  const auto back = [](std::uint32_t p) { return leaf(hello({served(5, 2, {p}), served(4, 2, {p})})); };
  const auto yet = leaf(hello({served(4, 2, {1}), served(5, 2, {1})}));
  EXPECT_EQ(chosen({back(0), yet}, 5), 5u);
  EXPECT_EQ(chosen({back(0), back(1)}, 5), 4u);
}
TEST(Topology, TakesTheMostCoverageWhereNothingIsWhole) {
  const auto a = leaf(hello({served(4, 4, {0, 1}), served(5, 4, {0})}));
  EXPECT_EQ(chosen({a}, 5), 4u);
  const auto even = leaf(hello({served(4, 4, {0, 1}), served(5, 4, {0, 1})}));
  EXPECT_EQ(chosen({even}, 4), 4u) << "no reason to leave what is served";
  EXPECT_EQ(chosen({even}, 5), 5u);
  EXPECT_EQ(chosen({even}), 5u);
}
TEST(Topology, CountsReplicasAndWhatIsCovered) {
  const auto a = leaf(hello({served(1, 3, {0, 1})})), b = leaf(hello({served(1, 3, {1})}));
  const auto topology = draw_topology(std::vector{a, b}, 0);
  EXPECT_EQ(topology->covered, 2u);
  EXPECT_EQ(topology->partitions[1].replicas.size(), 2u);
  EXPECT_TRUE(topology->partitions[2].replicas.empty());
}
TEST(Topology, IgnoresPartitionsThatCannotBe) {
  auto odd = served(1, 2, {0, 7});
  odd.partitions.push_back({1, 0, /*stride=*/0, 10});
  EXPECT_EQ(draw_topology(std::vector{leaf(hello({odd}))}, 0)->covered, 1u);
}
TEST(Topology, DoesNotMixLeavesThatTellDifferentStoriesOfAGeneration) {
  auto other = served(1, 2, {0, 1});
  other.statistics.documents += 1;
  const auto topology = draw_topology(std::vector{leaf(hello({served(1, 2, {0})})), leaf(hello({other}))}, 0);
  ASSERT_NE(topology, nullptr);
  EXPECT_EQ(topology->covered, 1u);
  EXPECT_EQ(topology->partitions[0].replicas.size(), 1u);
}
TEST(Topology, FindsTheDealtPartitionOfADocument) {
  const auto topology = draw_topology(std::vector{leaf(hello({served(1, 3, {0, 2})}))}, 0);
  EXPECT_EQ(topology->partition_of(5), 2u);
  EXPECT_EQ(topology->partition_of(2997), 0u);
  EXPECT_EQ(topology->partition_of(4), std::nullopt) << "nobody has partition 1";
  EXPECT_EQ(topology->partition_of(3000), std::nullopt);
}
}  // namespace
}  // namespace frond::broker
