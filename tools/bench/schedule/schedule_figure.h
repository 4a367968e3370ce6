#pragma once
// Figure 7 of Ding et al. 2009: average delay against the rate at which queries arrive, for the GPU alone, the CPU
// alone, the better of both with one query at a time, and both by the scheduler.
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/plot.h"
#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::tools::bench {

struct FigurePoint {
  double rate = 0;  // queries a second
  SimulationResult result;
};
struct FigureCurve {
  Configuration configuration = Configuration::kBoth;
  double sustained = 0;             // queries a second without a miss
  double p99_at_80_us = 0;          // at 80 % of the sustained rate
  std::vector<FigurePoint> points;  // by ascending rate; a failed one is the last
};
struct Figure {
  double deadline_us = 0;
  std::vector<FigureCurve> curves;  // by Configuration
};

struct FigureOptions {
  SimulationOptions simulation;
  std::size_t arrivals = 20'000;  // of each run
  std::size_t points = 16;        // rates, from half of the lowest sustained one to the highest, by equal factors
  std::uint64_t seed = 1;
};
Figure simulate_figure(std::span<const SimulatedQuery> queries, double deadline_us, const FigureOptions& options);

void print_figure(const Figure& figure);
nlohmann::ordered_json as_json(const Figure& figure);

// All curves in one chart: delays in milliseconds.
Plot plot_of(std::span<const Figure> figures);

}  // namespace frond::tools::bench
