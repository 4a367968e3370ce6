#pragma once
// What every fan-out needs, and what all of them count. One a broker.
#include <cstdint>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/timer_queue.h"
#include "broker/scatter/hedging.h"

namespace frond::broker::scatter {

struct ScatterCounters {
  std::uint64_t search_requests = 0, fetch_requests = 0;  // sent to leaves
  std::uint64_t search_failures = 0, fetch_failures = 0;  // unavailable, late, corrupt, overloaded
  std::uint64_t failovers = 0;                            // asked of another replica after a failure
};

struct ScatterContext {
  cluster::ClusterMap& map;
  cluster::TimerQueue& timers;
  Hedging hedging{Hedging::Limits{}};  // asks another replica because the first is slow
  ScatterCounters counters{};
  std::size_t turn = 0;  // rotates replicas
};

// What a failed request means for its partitions.
wire::Unsearched reason_of(Code code);

}  // namespace frond::broker::scatter
