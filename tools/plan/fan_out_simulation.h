#pragma once
// Simulates the latency of searches that a broker sends to a leaf of every shard, by discrete events under a virtual
// clock. What one leaf does with two processors is simulated elsewhere (tools/bench/schedule).
//
// Searches arrive as a Poisson process. A thread of a broker sends each to one machine of every set of replicas, the
// one with the fewest searches in flight; the search ends when the slowest shard has replied, the broker has merged,
// and documents have been fetched. A machine runs searches as a leaf's worker pool does: light ones first, by powers of
// four of their postings, every eighth time the oldest; idle threads share a search's partitions, if these are no small
// ones; while all are busy, such searches run on as many threads more, for costly work, to which the system gives a
// third of a usual one's share of a core. A broker asks a second
// replica as broker/scatter does: after twice the time that 19 of 20 of the latest 128 searches took, within a budget.
// A search has much or little work on all of its shards alike (WorkSpread), and `leaf_spread` around that on each.
//
// Not simulated: deadlines, refusals, searches that the thread evaluates which has read them.
#include <cstdint>
#include <vector>

#include "tools/plan/constants.h"

namespace frond::tools::plan {

// Times are microseconds.
struct SimulatedCluster {
  double rate = 0;  // searches a second
  std::uint32_t shards = 1, replicas = 1;
  std::uint32_t leaves_a_machine = 1;  // shards on the same machine; each replica of them is a machine
  std::uint32_t cores = 1;             // of a machine
  std::uint32_t partitions = 1;        // of a leaf: so many cores may share a search
  // A search on a leaf: of a core, and of its GPU.
  double fixed_us = 0, work_us = 0, gpu_us = 0;
  double split_more = 0;   // of work_us, for a search that cores share
  double postings = 0;     // that it reads there on average; 0: searches are taken in the order in which they came
  WorkSpread work;         // what work_us, gpu_us and postings are multiplied by
  double leaf_spread = 0;  // of the natural logarithm, between the leaves of a search
  double stall_share = 0, stall_us = 0;
  double way_us = 0, fetch_way_us = 0, gpu_way_us = 0;  // without a queue; the second only with several shards
  std::uint32_t broker_threads = 1;
  double broker_us = 0;    // of a thread, for a search
  double hedge_share = 0;  // of searches that may be sent to a second replica
  bool one_down = false;   // a machine of the first set is down; REQUIRES: replicas > 1
};

struct SimulatedLatency {
  std::vector<double> sorted_us;  // of all searches but the first tenth
  double hedges = 0;              // for each search that a shard was sent
  double mean_us() const;
  double quantile_us(double fraction) const;
  double share_above(double us) const;
};

// The same for the same arguments. REQUIRES: no processor is asked for more than it can do (see busy parts of Plan),
// else latencies grow with `searches`. Memory: some 100 bytes a search. Takes about 0.1 µs a search and leaf.
SimulatedLatency simulate(const SimulatedCluster& cluster, std::uint32_t searches, std::uint64_t seed);

}  // namespace frond::tools::plan
