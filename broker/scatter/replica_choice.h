#pragma once
// Chooses the replicas to ask: for each partition the healthy leaf with the fewest requests in flight, and one that is
// silent (LeafNode) only if all are; among equals one that the same query asks anyway (fewer messages), then each in
// turn. Pure functions.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/cluster/topology.h"

namespace frond::broker::scatter {

struct LeafShare {
  cluster::LeafRef leaf;
  std::vector<std::uint32_t> partitions;
};
struct Assignment {
  std::vector<LeafShare> shares;
  std::vector<std::uint32_t> unsearched;  // partitions without a healthy leaf outside `tried`
};
// `turn` rotates the choice among equals from call to call.
Assignment assign(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                  std::span<const cluster::LeafRef> tried, std::size_t turn);
// A leaf without the features (wire::features_needed) that has a partition which no leaf with them has: its endpoint.
// None: the search can be answered, or a partition has no leaf at all.
std::optional<std::string> too_old_for(const cluster::Topology& topology, std::uint64_t features);
// The leaves without the features, to be left out.
std::vector<cluster::LeafRef> left_out_for(const cluster::Topology& topology, std::uint64_t features);
// A healthy leaf outside `tried` that has all of `partitions`; null if none.
cluster::LeafRef one_for_all(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                             std::span<const cluster::LeafRef> tried);

}  // namespace frond::broker::scatter
