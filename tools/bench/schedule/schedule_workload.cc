#include "tools/bench/schedule/schedule_workload.h"

#include <algorithm>
#include <cmath>

#include "tools/synth/random.h"

namespace frond::tools::bench {
namespace {
constexpr double kMaxDeviations = 2.5;  // the heaviest query is within a deadline
}

std::vector<SimulatedQuery> synthetic_queries(std::size_t count, const SyntheticWorkload& workload,
                                              std::uint64_t seed) {
  synth::Random random(seed);
  const double rest = std::sqrt(1 - workload.correlation * workload.correlation);
  std::vector<SimulatedQuery> queries(count);
  for (SimulatedQuery& query : queries) {
    const double first = std::clamp(synth::normal(random), -kMaxDeviations, kMaxDeviations);
    const double second = std::clamp(synth::normal(random), -kMaxDeviations, kMaxDeviations);
    query.cpu_us = workload.cpu_median_us * std::exp(workload.cpu_spread * first);
    query.gpu_us =
        workload.gpu_median_us * std::exp(workload.gpu_spread * (workload.correlation * first + rest * second));
    query.predicted_cpu_us = query.cpu_us * workload.bias * std::exp(workload.error * synth::normal(random));
    query.predicted_gpu_us = query.gpu_us * workload.bias * std::exp(workload.error * synth::normal(random));
    query.for_gpu = random.unit() >= workload.share_off_gpu;
  }
  return queries;
}

double fluid_bound_us(std::span<const SimulatedQuery> queries, double workers, bool with_gpu) {
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

}  // namespace frond::tools::bench
