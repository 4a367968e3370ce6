// The parts of schedule_simulation.h that need no simulation of events.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/base/check.h"
#include "tools/bench/schedule/schedule_simulation.h"
#include "tools/synth/random.h"

namespace frond::tools::bench {
namespace {

constexpr double kMaxRate = 4e6;     // queries a second
constexpr double kMinDeadlines = 4;  // a run for a sustained rate is at least so many times as long as the deadline

}  // namespace

SimulationOptions simulation_options(std::uint32_t workers, std::uint32_t streams, std::size_t max_batch,
                                     double launch_us) {
  SimulationOptions options{.launch_us = launch_us};
  options.queues = {.workers = workers,
                    .streams = streams,
                    .max_waiting = 65536,
                    .max_batch = max_batch,
                    .launch = std::chrono::microseconds(static_cast<std::int64_t>(launch_us))};
  return options;
}

SimulationResult simulate_one_at_a_time(std::span<const SimulatedQuery> queries, std::span<const Arrival> arrivals,
                                        const SimulationOptions& options) {
  SimulationResult result;
  std::vector<double> delays;
  leaf::schedule::CostModel model;
  model.scales = options.scales;
  double free_at = 0;
  for (const Arrival& arrival : arrivals) {
    const SimulatedQuery& query = queries[arrival.query];
    const bool has_gpu = query.for_gpu && options.queues.streams > 0;
    const double gpu =
        has_gpu ? options.launch_us + query.gpu_us * model.scale_of(1) : std::numeric_limits<double>::infinity();
    const double start = std::max(free_at, arrival.at_us);
    free_at = start + std::min(query.cpu_us, gpu);
    result.on_gpu += gpu < query.cpu_us;
    result.batches += gpu < query.cpu_us;
    const double delay = free_at - arrival.at_us;
    delays.push_back(delay);
    result.late += delay > options.deadline_us;
    if (options.stop_at_first_miss && result.late > 0) return result;
  }
  result.end_us = free_at;
  set_delays(result, std::move(delays));
  return result;
}

void set_delays(SimulationResult& result, std::vector<double> delays_us) {
  result.answered = delays_us.size();
  if (delays_us.empty()) return;
  std::sort(delays_us.begin(), delays_us.end());
  const auto at = [&](double share) {
    return delays_us[static_cast<std::size_t>(share * static_cast<double>(delays_us.size() - 1))];
  };
  result.mean_us = std::accumulate(delays_us.begin(), delays_us.end(), 0.0) / static_cast<double>(delays_us.size());
  result.median_us = at(0.5);
  result.p95_us = at(0.95);
  result.p99_us = at(0.99);
  result.max_us = delays_us.back();
}

std::vector<Arrival> poisson_arrivals(std::size_t count, double rate, std::size_t queries, std::uint64_t seed) {
  FROND_CHECK(rate > 0 && queries > 0);
  synth::Random random(seed);
  std::vector<Arrival> arrivals(count);
  double at = 0;
  for (Arrival& arrival : arrivals) {
    at += -std::log(random.positive_unit()) * 1e6 / rate;
    arrival = {at, random.below(static_cast<std::uint32_t>(queries))};
  }
  return arrivals;
}

double sustained_rate(std::span<const SimulatedQuery> queries, const SimulationOptions& options, std::size_t count,
                      std::uint64_t seed) {
  auto until_a_miss = options;
  until_a_miss.stop_at_first_miss = true;
  const auto sustains = [&](double rate) {
    const auto arrivals = std::max(count, static_cast<std::size_t>(kMinDeadlines * rate * options.deadline_us / 1e6));
    return !simulate(queries, poisson_arrivals(arrivals, rate, queries.size(), seed), until_a_miss).failed();
  };
  double low = 1;
  if (!sustains(low)) return 0;
  double high = 2;
  for (; high < kMaxRate && sustains(high); high *= 2) low = high;
  while (high > low * 1.02) {
    const double middle = std::sqrt(low * high);
    (sustains(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace frond::tools::bench
