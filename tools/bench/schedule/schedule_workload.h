#pragma once
// Queries for simulations of the scheduler, and what no scheduler can do better with them.
#include <cstdint>
#include <span>
#include <vector>

#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::tools::bench {

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

// The least time in which the processors could do the work of these queries, if it could be cut at will: those with the
// greatest CPU cost by GPU cost go to the GPU, until both have the same time. `workers` CPU threads; with_gpu: else the
// CPU alone. Launches are free.
double fluid_bound_us(std::span<const SimulatedQuery> queries, double workers, bool with_gpu);

}  // namespace frond::tools::bench
