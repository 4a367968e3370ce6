#pragma once
// Simulates a leaf's scheduler under a virtual clock: Ding et al. 2009, 9, figure 7. The queues are the leaf's own
// (leaf/schedule/query_queues.h); processors and time are simulated, by discrete events.
//
// A worker of the CPU runs a query for exactly its cost. A batch on the GPU waits for the time of a launch, during
// which the device works on other batches, then the batches on the device share it equally.
#include <cstdint>
#include <span>
#include <vector>

#include "leaf/schedule/cost_model.h"
#include "leaf/schedule/query_queues.h"

namespace frond::tools::bench {

// Times are microseconds.
struct SimulatedQuery {
  double cpu_us = 0, gpu_us = 0;                      // what it really costs; GPU: what it adds to a batch of 64
  double predicted_cpu_us = 0, predicted_gpu_us = 0;  // what the queues are told
  bool for_gpu = true;                                // whether its lists are on the GPU
  std::uint32_t client = 0;
};
struct Arrival {
  double at_us = 0;
  std::uint32_t query = 0;  // of the span given to simulate()
};

// The four configurations of figure 7.
enum class Configuration : std::uint8_t { kGpuOnly, kCpuOnly, kBetterOneAtATime, kBoth };

struct SimulationOptions {
  Configuration configuration = Configuration::kBoth;
  leaf::schedule::QueryQueues::Options queues;  // workers, streams, launch and so on
  double launch_us = 45;                        // what a launch really takes
  // What a query adds to a batch of some size, by gpu_us; empty: all sizes are alike.
  std::vector<leaf::schedule::CostModel::BatchScale> scales;
  double deadline_us = 500'000;     // after the arrival
  bool stop_at_first_miss = false;  // the result then has no delays
};

// With queues long enough for any run.
SimulationOptions simulation_options(std::uint32_t workers, std::uint32_t streams, std::size_t max_batch,
                                     double launch_us);

// What happened to an arrival.
struct SimulatedEnd {
  enum class How : std::uint8_t { kNone, kRefused, kDropped, kCpu, kGpu } how = How::kNone;
  leaf::schedule::QueryJob::TakenAs taken_as{};
  double start_us = 0, end_us = 0;
};

struct SimulationResult {
  std::uint64_t answered = 0, refused = 0, dropped = 0;
  std::uint64_t late = 0;  // of the answered: after their deadline
  std::uint64_t on_gpu = 0, batches = 0;
  double mean_us = 0, median_us = 0, p95_us = 0, p99_us = 0, max_us = 0;  // delays of the answered
  double end_us = 0;                                                      // of the last event
  leaf::schedule::QueryQueues::State queues;                              // at the end
  std::vector<SimulatedEnd> ends;                                         // by arrival
  bool failed() const { return refused + dropped + late > 0; }
};
// Sets `answered` and the figures of delays. `delays_us` are of all answered queries.
void set_delays(SimulationResult& result, std::vector<double> delays_us);

// `arrivals` ascend. Deterministic.
SimulationResult simulate(std::span<const SimulatedQuery> queries, std::span<const Arrival> arrivals,
                          const SimulationOptions& options);

// The same for kBetterOneAtATime: one server, first come first served; each query runs on the processor that takes less
// time for it alone.
SimulationResult simulate_one_at_a_time(std::span<const SimulatedQuery> queries, std::span<const Arrival> arrivals,
                                        const SimulationOptions& options);

// A Poisson process of this rate, in queries a second; each arrival is a query drawn at random.
std::vector<Arrival> poisson_arrivals(std::size_t count, double rate, std::size_t queries, std::uint64_t seed);

// The highest rate at which no query misses its deadline or is refused, to 2 %, by bisection. Each run has `count`
// queries, and more if that is less than four times the deadline. `seed` is that of the arrivals.
double sustained_rate(std::span<const SimulatedQuery> queries, const SimulationOptions& options, std::size_t count,
                      std::uint64_t seed);

// Queries for simulations of the scheduler.

// Costs that spread like those measured on the gov2 profile: log-normal, and the GPU's follow the CPU's loosely.
struct SyntheticWorkload {
  double cpu_median_us = 600, cpu_spread = 1.2;  // spread: of the natural logarithm
  double gpu_median_us = 5, gpu_spread = 0.8;
  double correlation = 0.8;  // between the two logarithms
  double error = 0.22;       // spread of the logarithm of predictions: 0.22 is 15 % off in the median
  double bias = 1;           // all predictions are wrong by this factor
  double share_off_gpu = 0;  // of queries whose lists are not on the GPU
};
std::vector<SimulatedQuery> synthetic_queries(std::size_t count, const SyntheticWorkload& workload, std::uint64_t seed);

}  // namespace frond::tools::bench
