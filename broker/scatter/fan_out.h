#pragma once
// The first round trip: one search to all partitions of a generation, with failover and hedging.
//
// Each partition is asked of one replica. If that fails other than by time, its partitions go to other replicas, once.
// If it has not answered after half of the time and one other replica has all of its partitions, that one is asked as
// well where Hedging allows it; the first whole answer wins, and the other leaf is told to stop. A partition's hits are
// counted once, whatever happens: a group of partitions is answered by one leaf or not at all, and hits of partitions
// that the leaf says it has not searched are left out.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "broker/merge/page.h"
#include "broker/scatter/abandonable.h"
#include "broker/scatter/scatter_context.h"

namespace frond::broker::scatter {

struct LeafAnswer {
  cluster::LeafRef leaf;
  std::vector<std::uint32_t> partitions;  // that this answers
  wire::SearchReply reply;
  std::uint64_t round_trip_us = 0;
};
struct FanOutResult {
  std::vector<LeafAnswer> answers;
  std::vector<merge::Degraded> missing;  // by partition
};

// `request`: all but request_id, budget and partitions. `done` is called once, by the deadline; before fan_out()
// returns if there is nobody to ask. Broker's thread; `context` outlives it.
std::shared_ptr<Abandonable> fan_out(ScatterContext& context, std::shared_ptr<const cluster::Topology> topology,
                                     wire::SearchRequest request, Deadline deadline,
                                     std::function<void(FanOutResult)> done);

}  // namespace frond::broker::scatter
