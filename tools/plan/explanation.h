#pragma once
// How planner.cc tells what it chose. For planner.cc and explanation.cc alone; others read planner.h.
#include <algorithm>
#include <cstdint>

#include "tools/plan/fan_out_simulation.h"
#include "tools/plan/planner.h"

namespace frond::tools::plan {

inline constexpr double kBrokerBusy = 0.5;  // so busy may brokers' threads be

// A number of shards and replicas, and what follows from it.
struct Candidate {
  std::uint32_t shards = 0, replicas = 0, leaves_a_machine = 1;
  std::uint32_t machines = 0, brokers = 0, broker_threads = 0;  // machines: of leaves; threads: of all brokers
  std::uint32_t cores = 0, partitions = 0;                      // for leaves, of a machine; of a leaf
  LeafShare share{};
  double broker_us = 0, busy = 0, gpu_busy = 0;
  std::uint32_t leaves() const { return shards * replicas; }
  double busiest() const { return std::max(busy, gpu_busy); }
};

// The share of time in which every shard has a leaf.
double available(const Wanted& wanted, std::uint32_t shards, std::uint32_t replicas);

// These add their figures to the plan. `one_down`: null if there is no replica.
void explain_sizes(const Wanted& wanted, const Constants& constants, const Candidate& chosen, Plan& plan);
void explain_times(const Wanted& wanted, const Constants& constants, const Candidate& chosen,
                   const SimulatedLatency& usual, const SimulatedLatency* one_down, Plan& plan);

}  // namespace frond::tools::plan
