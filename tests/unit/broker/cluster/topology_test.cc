#include "broker/cluster/topology.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_cluster.h"

namespace frond::broker::cluster {
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
  const auto topology = draw_topology(leaves, {serving, support::content_of(serving)});
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
  const auto topology = draw_topology(std::vector{a, b}, {});
  EXPECT_EQ(topology->covered, 2u);
  EXPECT_EQ(topology->partitions[1].replicas.size(), 2u);
  EXPECT_TRUE(topology->partitions[2].replicas.empty());
}
TEST(Topology, HasTheSchemaThatLeavesTell) {
  auto told = served(1, 2, {1});
  told.schema = R"({"fields":{"year":{"type":"integer"}},"source":"none","scorer":"bm25"})";
  const auto older = leaf(hello({served(1, 2, {0})}));
  const auto topology = draw_topology(std::vector{older, leaf(hello({told}))}, {});
  EXPECT_EQ(topology->covered, 2u);
  EXPECT_EQ(topology->schema_text, told.schema);
  EXPECT_NE(topology->schema->find("year"), nullptr);
  EXPECT_TRUE(draw_topology(std::vector{older}, {})->schema->fields.empty());
  told.schema = R"({"fields":{"year":{"type":"of a later version"}}})";
  const auto later = draw_topology(std::vector{leaf(hello({told}))}, {});
  EXPECT_TRUE(later->schema->fields.empty());
  EXPECT_NE(later->schema_problem, "");
}
TEST(Topology, IgnoresPartitionsThatCannotBe) {
  auto odd = served(1, 2, {0, 7});
  odd.partitions.push_back({1, {0, /*stride=*/0, 10}});
  EXPECT_EQ(draw_topology(std::vector{leaf(hello({odd}))}, {})->covered, 1u);
}
TEST(Topology, DoesNotMixLeavesThatTellDifferentStoriesOfAGeneration) {
  auto other = served(1, 2, {0, 1});
  other.statistics.documents += 1;
  const auto topology = draw_topology(std::vector{leaf(hello({served(1, 2, {0})})), leaf(hello({other}))}, {});
  ASSERT_NE(topology, nullptr);
  EXPECT_EQ(topology->covered, 1u);
  EXPECT_EQ(topology->partitions[0].replicas.size(), 1u);
}
wire::ServedGeneration with_content(wire::ServedGeneration generation, ContentId content) {
  generation.content = content;
  return generation;
}
std::vector<std::size_t> replicas(const Topology& topology) {
  std::vector<std::size_t> counts;
  for (const auto& partition : topology.partitions) counts.push_back(partition.replicas.size());
  return counts;
}

TEST(Topology, NeverMixesContentsOfOneNumber) {
  const auto a = [](std::vector<std::uint32_t> p) { return with_content(served(1, 2, std::move(p)), 10); };
  const auto b = [](std::vector<std::uint32_t> p) { return with_content(served(1, 2, std::move(p)), 11); };
  // Equal in all but the content, and together they would look whole.
  const auto drawn = draw_topology(std::vector{leaf(hello({a({0})})), leaf(hello({b({1})}))}, {1, 10});
  EXPECT_EQ(drawn->covered, 1u);
  EXPECT_EQ(drawn->content, 10u) << "what was served";
}
TEST(Topology, TurnsToTheContentThatBecameCurrentLaterOnceItIsWhole) {
  const auto a = [](std::vector<std::uint32_t> p) { return with_content(served(1, 2, std::move(p)), 20); };
  const auto b = [](std::vector<std::uint32_t> p) { return with_content(served(1, 2, std::move(p)), 11); };
  const GenerationId serving{1, 20};
  const auto has_both = [&](std::uint32_t p) { return leaf(hello({a({p}), b({p})})); };
  const auto has_old = [&](std::uint32_t p) { return leaf(hello({a({p})})); };
  EXPECT_EQ(draw_topology(std::vector{has_both(0), has_old(1)}, serving)->content, 20u) << "shard 1 is late";
  EXPECT_EQ(draw_topology(std::vector{has_both(0), has_both(1)}, serving)->content, 11u);
  const auto replica_late = std::vector{has_both(0), has_both(1), has_old(0), has_old(1)};
  EXPECT_EQ(draw_topology(replica_late, serving)->content, 11u) << "whole without the late replicas";
}
TEST(Topology, TakesOfUnorderedContentsWhatMostLeavesCallCurrent) {
  const auto only = [](ContentId content) { return leaf(hello({with_content(served(1, 1, {0}), content)})); };
  EXPECT_EQ(draw_topology(std::vector{only(10), only(11), only(10)}, {1, 11})->content, 10u);
  EXPECT_EQ(draw_topology(std::vector{only(10), only(11)}, {1, 10})->content, 10u)
      << "no reason to leave what is served";
  EXPECT_EQ(draw_topology(std::vector{only(10), only(11)}, {})->content,
            draw_topology(std::vector{only(11), only(10)}, {})->content)
      << "two brokers that have just started agree";
}
TEST(Topology, CountsLeavesOfBeforeWhereThereIsNoDoubt) {
  const auto named = with_content(served(1, 2, {0}), 10), unnamed = with_content(served(1, 2, {1}), 0);
  for (const bool first : {true, false}) {
    auto leaves = std::vector{leaf(hello({named})), leaf(hello({unnamed}))};
    if (first) std::swap(leaves[0], leaves[1]);
    const auto drawn = draw_topology(leaves, {});
    EXPECT_TRUE(drawn->whole());
    EXPECT_EQ(drawn->content, 10u);
  }
  const auto other = with_content(served(1, 2, {0, 1}), 11);
  const auto drawn = draw_topology(std::vector{leaf(hello({named})), leaf(hello({unnamed})), leaf(hello({other}))}, {});
  EXPECT_EQ(replicas(*drawn), (std::vector<std::size_t>{1, 1})) << "whose is it?";
  EXPECT_EQ(drawn->content, 11u);
}
TEST(Topology, AsksALeafThatDrainsOnlyWhereNobodyElseHasThePartition) {
  auto leaving = hello({served(1, 2, {0, 1})});
  leaving.draining = true;
  const auto drains = leaf(leaving), stays = leaf(hello({served(1, 2, {0})}));
  const auto drawn = draw_topology(std::vector{drains, stays}, {});
  ASSERT_TRUE(drawn->whole());
  EXPECT_EQ(drawn->partitions[0].replicas, std::vector{stays});
  EXPECT_EQ(drawn->partitions[1].replicas, std::vector{drains});
  EXPECT_TRUE(drawn->needs(drains));
  EXPECT_TRUE(drawn->needs(stays));
  const auto relieved = draw_topology(std::vector{drains, stays, leaf(hello({served(1, 2, {1})}))}, {});
  EXPECT_FALSE(relieved->needs(drains));
  const auto both = draw_topology(std::vector{drains, leaf(leaving)}, {});
  EXPECT_EQ(replicas(*both), (std::vector<std::size_t>{2, 2})) << "all leave: better than nothing";
  EXPECT_TRUE(both->needs(drains));
}
TEST(Topology, DoesNotTurnToAGenerationOfWhichALeafThatDrainsHasAPart) {
  auto leaving = hello({served(4, 2, {0}), served(5, 2, {0})});
  leaving.draining = true;
  const auto drains = leaf(leaving), yet = leaf(hello({served(4, 2, {0})}));
  const auto other = leaf(hello({served(4, 2, {1}), served(5, 2, {1})}));
  EXPECT_EQ(chosen({drains, yet, other}, 4), 4u) << "the leaf may end before it hears of it";
  EXPECT_EQ(chosen({drains, yet, other}, 5), 5u) << "it is needed, and waits";
  EXPECT_EQ(chosen({drains, yet, other}), 5u);
  EXPECT_EQ(chosen({drains, other}, 4), 5u) << "4 needs it, too";
  EXPECT_EQ(chosen({drains, yet, other, leaf(hello({served(4, 2, {0}), served(5, 2, {0})}))}, 4), 5u);
}
TEST(Topology, FindsTheDealtPartitionOfADocument) {
  const auto topology = draw_topology(std::vector{leaf(hello({served(1, 3, {0, 2})}))}, {});
  EXPECT_EQ(topology->partition_of(5), 2u);
  EXPECT_EQ(topology->partition_of(2997), 0u);
  EXPECT_EQ(topology->partition_of(4), std::nullopt) << "nobody has partition 1";
  EXPECT_EQ(topology->partition_of(3000), std::nullopt);
}
}  // namespace
}  // namespace frond::broker::cluster
