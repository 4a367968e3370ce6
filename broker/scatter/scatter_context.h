#pragma once
// What every search uses and counts. One object for each of the broker's threads, used on that thread only.
#include <cstdint>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/timer_queue.h"
#include "broker/scatter/hedging.h"

namespace frond::broker::scatter {

struct ScatterCounters {
  std::uint64_t search_requests = 0, fetch_requests = 0;  // sent to leaves
  std::uint64_t search_failures = 0, fetch_failures = 0;  // unavailable, late, corrupt, overloaded
  std::uint64_t failovers = 0;                            // requests to another replica after a failure
};

struct ScatterContext {
  cluster::ClusterMap& map;
  cluster::TimerQueue& timers;
  Hedging hedging{Hedging::Limits{}};
  ScatterCounters counters{};
  std::size_t turn = 0;  // rotates the choice among equal replicas
};

// The reason for the partitions of a request that LeafClient has answered with `code`. As wire::reason_of(), except
// that kNotFound is kUnknownGeneration: LeafClient returns it for that reason only. The broker then asks the leaf again
// which generations it serves.
wire::UnsearchedReason reason_of(Code code);

}  // namespace frond::broker::scatter
