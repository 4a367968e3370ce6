#pragma once
// What no scheduler can do better.
#include <algorithm>
#include <span>
#include <vector>

#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::support {

using tools::bench::SimulatedQuery;

// The least time in which the processors could do the work of these queries, if it could be cut at will: those with the
// greatest CPU cost by GPU cost go to the GPU, until both have the same time. `workers` CPU threads; with_gpu: else the
// CPU alone. Launches are free.
inline double fluid_bound_us(std::span<const SimulatedQuery> queries, double workers, bool with_gpu) {
  double cpu = 0, gpu = 0;
  std::vector<const SimulatedQuery*> movable;
  for (const SimulatedQuery& query : queries) {
    cpu += workers > 0 ? query.cpu_us / workers : 0;
    if (with_gpu && query.for_gpu) movable.push_back(&query);
  }
  if (workers <= 0) {
    for (const SimulatedQuery& query : queries) gpu += query.gpu_us;
    return gpu;
  }
  std::sort(movable.begin(), movable.end(), [](const SimulatedQuery* a, const SimulatedQuery* b) {
    return a->cpu_us * b->gpu_us > b->cpu_us * a->gpu_us;
  });
  for (const SimulatedQuery* query : movable) {
    const double less = query->cpu_us / workers;
    if (gpu + query->gpu_us < cpu - less) {
      cpu -= less;
      gpu += query->gpu_us;
      continue;
    }
    // The part of this query that makes both equal.
    const double part = std::clamp((cpu - gpu) / (less + query->gpu_us), 0.0, 1.0);
    return std::max(cpu - part * less, gpu + part * query->gpu_us);
  }
  return std::max(cpu, gpu);
}

}  // namespace frond::support
