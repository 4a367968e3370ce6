#include "broker/scatter/scatter_context.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace frond::broker::scatter {
namespace {
bool contains(std::span<const cluster::LeafRef> leaves, const cluster::LeafRef& leaf) {
  return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
}
}  // namespace

Assignment assign(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                  std::span<const cluster::LeafRef> tried, std::size_t turn) {
  Assignment assignment;
  auto& shares = assignment.shares;
  for (const std::uint32_t partition : partitions) {
    const auto& replicas = topology.partitions[partition].replicas;
    const cluster::LeafRef* best = nullptr;
    std::tuple<bool, std::size_t, bool, std::size_t> best_cost;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      if (!replicas[i]->healthy || contains(tried, replicas[i])) continue;
      if (replicas.size() == 1) {
        best = &replicas[i];
        break;
      }
      const auto mine = [&](const LeafShare& share) { return share.leaf == replicas[i]; };
      const bool asked = std::any_of(shares.begin(), shares.end(), mine);
      const std::tuple cost{replicas[i]->silent, replicas[i]->client->in_flight(), !asked,
                            (i + turn) % replicas.size()};
      if (best == nullptr || cost < best_cost) {
        best = &replicas[i];
        best_cost = cost;
      }
    }
    if (best == nullptr) {
      assignment.unsearched.push_back(partition);
      continue;
    }
    const auto share = std::find_if(shares.begin(), shares.end(), [&](const auto& one) { return one.leaf == *best; });
    if (share != shares.end())
      share->partitions.push_back(partition);
    else
      shares.push_back({*best, {partition}});
  }
  return assignment;
}

Assignment assign_now(ScatterContext& context, const cluster::Topology& begun,
                      std::span<const std::uint32_t> partitions, std::span<const cluster::LeafRef> tried,
                      std::uint64_t features) {
  Assignment all = assign(begun, partitions, tried, context.turn++);
  if (all.unsearched.empty()) return all;
  const auto now = context.map.topology_of(begun.id());
  if (now == nullptr || now.get() == &begun || now->partitions.size() != begun.partitions.size()) return all;
  std::vector<cluster::LeafRef> left_out = left_out_for(*now, features);
  left_out.insert(left_out.end(), tried.begin(), tried.end());
  // Where `begun` has no leaf, it does not know which documents the partition has.
  const auto known = std::partition(all.unsearched.begin(), all.unsearched.end(),
                                    [&](std::uint32_t one) { return begun.partitions[one].replicas.empty(); });
  const std::vector<std::uint32_t> wanted(known, all.unsearched.end());
  all.unsearched.erase(known, all.unsearched.end());
  Assignment more = assign(*now, wanted, left_out, context.turn++);
  all.unsearched.insert(all.unsearched.end(), more.unsearched.begin(), more.unsearched.end());
  for (LeafShare& share : more.shares) {
    const auto same = std::ranges::find(all.shares, share.leaf, &LeafShare::leaf);
    if (same == all.shares.end())
      all.shares.push_back(std::move(share));
    else
      same->partitions.insert(same->partitions.end(), share.partitions.begin(), share.partitions.end());
  }
  return all;
}

std::optional<std::string> too_old_for(const cluster::Topology& topology, std::uint64_t features) {
  if (features == 0) return {};
  const auto knows = [&](const cluster::LeafRef& leaf) { return leaf->has(features); };
  for (const cluster::Topology::Partition& partition : topology.partitions)
    if (!partition.replicas.empty() && std::none_of(partition.replicas.begin(), partition.replicas.end(), knows))
      return partition.replicas.front()->endpoint;
  return {};
}

std::vector<cluster::LeafRef> left_out_for(const cluster::Topology& topology, std::uint64_t features) {
  std::vector<cluster::LeafRef> old;
  if (features == 0) return old;
  for (const cluster::Topology::Partition& partition : topology.partitions)
    for (const cluster::LeafRef& leaf : partition.replicas)
      if (!leaf->has(features) && !contains(old, leaf)) old.push_back(leaf);
  return old;
}

cluster::LeafRef one_for_all(const cluster::Topology& topology, std::span<const std::uint32_t> partitions,
                             std::span<const cluster::LeafRef> tried) {
  cluster::LeafRef best;
  if (partitions.empty()) return best;
  for (const cluster::LeafRef& leaf : topology.partitions[partitions.front()].replicas) {
    if (!leaf->healthy || contains(tried, leaf)) continue;
    const auto has = [&](std::uint32_t partition) { return contains(topology.partitions[partition].replicas, leaf); };
    if (!std::all_of(partitions.begin(), partitions.end(), has)) continue;
    const auto cost = [](const cluster::LeafNode& one) { return std::pair(one.silent, one.client->in_flight()); };
    if (!best || cost(*leaf) < cost(*best)) best = leaf;
  }
  return best;
}

std::optional<std::chrono::microseconds> hedge_after(ScatterContext& context, Deadline deadline,
                                                     std::span<const std::uint32_t> partitions,
                                                     std::span<const cluster::LeafRef> tried,
                                                     const cluster::Topology& topology,
                                                     cluster::ReplyTimes cluster::LeafNode::*times,
                                                     std::chrono::microseconds unknown) {
  constexpr std::chrono::microseconds kLeast{2000};
  if (!context.hedging.enabled()) return std::nullopt;
  const auto half = std::chrono::duration_cast<std::chrono::microseconds>(deadline.left(context.timers.clock()) / 2);
  const cluster::LeafRef other = half < kLeast ? nullptr : one_for_all(topology, partitions, tried);
  if (!other) return std::nullopt;
  auto late = ((*tried.back()).*times).late_after().value_or(unknown);
  // A leaf that is often slow is late by another's times.
  if (const auto others = ((*other).*times).late_after()) late = std::min(late, 2 * *others);
  return std::clamp(late, kLeast, half);
}

std::uint32_t ShownAhead::hits(std::uint32_t k, double share) const {
  const double mean = k * share;
  return std::min(k, static_cast<std::uint32_t>(std::ceil(mean + margin_ * std::sqrt(mean * (1 - share)))));
}

wire::UnsearchedReason reason_of(Code code) {
  return code == Code::kNotFound ? wire::UnsearchedReason::kUnknownGeneration : wire::reason_of(code);
}

void put_in_order(std::vector<wire::UnsearchedPartition>& unsearched) {
  std::ranges::stable_sort(unsearched, {}, &wire::UnsearchedPartition::partition);
  const auto same = [](const auto& a, const auto& b) { return a.partition == b.partition; };
  unsearched.erase(std::unique(unsearched.begin(), unsearched.end(), same), unsearched.end());
}

}  // namespace frond::broker::scatter
