// The simulator against workloads whose delays can be told by hand, and its figure.
#include "tools/bench/schedule/schedule_simulation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>

#include "tests/support/fluid_bound.h"
#include "tests/support/scratch_folder.h"
#include "tools/bench/schedule/schedule_figure.h"

namespace frond::tools::bench {
namespace {

using std::chrono::microseconds;
using support::fluid_bound_us;

SimulationOptions options_of(Configuration configuration) {
  SimulationOptions options{.configuration = configuration, .launch_us = 50, .deadline_us = 1e6};
  options.queues.workers = 2;
  options.queues.streams = 1;
  options.queues.launch = microseconds(50);
  return options;
}

TEST(SimulatedSchedules, OfTheCpuAreAQueueAtItsWorkers) {
  const std::vector<SimulatedQuery> queries = {{100, 1000, 100, 1000}};
  const std::vector<Arrival> arrivals = {{0, 0}, {10, 0}, {20, 0}, {500, 0}};
  const auto result = simulate(queries, arrivals, options_of(Configuration::kCpuOnly));
  ASSERT_EQ(result.answered, 4u);
  EXPECT_DOUBLE_EQ(result.ends[0].end_us, 100);
  EXPECT_DOUBLE_EQ(result.ends[1].end_us, 110);
  EXPECT_DOUBLE_EQ(result.ends[2].end_us, 200);
  EXPECT_DOUBLE_EQ(result.ends[3].end_us, 600);
  EXPECT_NEAR(result.mean_us, (100 + 100 + 180 + 100) / 4.0, 1e-9);
  EXPECT_EQ(result.on_gpu, 0u);
}

TEST(SimulatedSchedules, OfTheGpuAreBatchesOfWhatCameMeanwhile) {
  const std::vector<SimulatedQuery> queries = {{1000, 20, 1000, 20}};
  const std::vector<Arrival> arrivals = {{0, 0}, {10, 0}, {20, 0}};
  const auto result = simulate(queries, arrivals, options_of(Configuration::kGpuOnly));
  EXPECT_EQ(result.batches, 2u);
  EXPECT_DOUBLE_EQ(result.ends[0].end_us, 70);
  EXPECT_DOUBLE_EQ(result.ends[1].end_us, 70 + 50 + 40);
  EXPECT_DOUBLE_EQ(result.ends[2].end_us, 70 + 50 + 40);
}

TEST(SimulatedSchedules, LetBatchesShareTheDevice) {
  auto options = options_of(Configuration::kGpuOnly);
  options.queues.streams = 2;
  const std::vector<SimulatedQuery> queries = {{1e5, 200, 1e5, 200}};
  // The second batch closes a launch before the device is predicted to be idle, so it begins when the first ends.
  const auto result = simulate(queries, std::vector<Arrival>{{0, 0}, {10, 0}}, options);
  EXPECT_DOUBLE_EQ(result.ends[0].end_us, 250);
  EXPECT_NEAR(result.ends[1].end_us, 450, 0.01);
}

TEST(SimulatedSchedules, TakeLessForAQueryInALargeBatch) {
  auto options = options_of(Configuration::kGpuOnly);
  options.scales = {{1, 2}, {2, 1}};
  const std::vector<SimulatedQuery> queries = {{1000, 20, 1000, 20}};
  const auto result = simulate(queries, std::vector<Arrival>{{0, 0}, {10, 0}, {20, 0}}, options);
  EXPECT_DOUBLE_EQ(result.ends[0].end_us, 90);
  EXPECT_DOUBLE_EQ(result.ends[2].end_us, 90 + 50 + 40);
}

TEST(SimulatedSchedules, OfTheBetterRunOneAtATime) {
  const std::vector<SimulatedQuery> queries = {{40, 20, 40, 20}, {1000, 20, 1000, 20}};
  const auto result =
      simulate(queries, std::vector<Arrival>{{0, 0}, {0, 1}, {0, 0}}, options_of(Configuration::kBetterOneAtATime));
  EXPECT_EQ(result.on_gpu, 1u);
  EXPECT_DOUBLE_EQ(result.max_us, 40 + 70 + 40);
}

TEST(SimulatedSchedules, ArriveAsAPoissonProcess) {
  const auto arrivals = poisson_arrivals(100'000, 5000, 10, 3);
  EXPECT_NEAR(arrivals.back().at_us, 20e6, 0.2e6);
  double squares = 0, last = 0;
  std::vector<int> drawn(10);
  for (const Arrival& arrival : arrivals) {
    squares += std::pow(arrival.at_us - last, 2);
    last = arrival.at_us;
    ++drawn[arrival.query];
  }
  EXPECT_NEAR(squares / 1e5, 2 * 200 * 200, 2000);
  for (const int count : drawn) EXPECT_NEAR(count, 10'000, 500);
}

TEST(SimulatedSchedules, SustainAlmostWhatTheProcessorsCanDo) {
  const auto queries = synthetic_queries(2000, {.cpu_median_us = 300, .cpu_spread = 1}, 4);
  auto options = options_of(Configuration::kBoth);
  options.queues.workers = 8;
  options.queues.streams = 3;
  options.queues.max_waiting = 65536;
  options.deadline_us = 50'000;
  double rates[4];
  for (const auto configuration :
       {Configuration::kGpuOnly, Configuration::kCpuOnly, Configuration::kBetterOneAtATime, Configuration::kBoth}) {
    options.configuration = configuration;
    rates[static_cast<std::size_t>(configuration)] = sustained_rate(queries, options, 20'000, 1);
  }
  // Ding 2009: more than each alone; here more than 0.95 times both added.
  EXPECT_GT(rates[3], 0.95 * (rates[0] + rates[1]));
  EXPECT_GT(rates[3], rates[2]);
  const double bound = 1e6 * 2000 / fluid_bound_us(queries, 8, true);
  EXPECT_LT(rates[3], 1.25 * bound);  // a run of four deadlines may end with a queue as long as one
  EXPECT_GT(rates[3], 0.8 * bound);
}

TEST(SimulatedSchedules, HaveAFluidBound) {
  // One processor alone; then the query that suits the GPU goes there, and the other is cut.
  const std::vector<SimulatedQuery> queries = {{100, 10}, {100, 50}};
  EXPECT_DOUBLE_EQ(fluid_bound_us(queries, 2, false), 100);
  EXPECT_DOUBLE_EQ(fluid_bound_us(queries, 0, true), 60);
  EXPECT_DOUBLE_EQ(fluid_bound_us(queries, 1, true), 10 + 50 * 0.6);  // 0.6 of the second: 40 us each
}

TEST(ScheduleFigures, HaveACurveForEachConfiguration) {
  const auto queries = synthetic_queries(500, {.cpu_median_us = 300, .cpu_spread = 1}, 4);
  FigureOptions options{.simulation = options_of(Configuration::kBoth), .arrivals = 3000, .points = 5};
  const std::vector<Figure> figures = {simulate_figure(queries, 20'000, options)};
  ASSERT_EQ(figures[0].curves.size(), 4u);
  for (const FigureCurve& curve : figures[0].curves) {
    EXPECT_GT(curve.sustained, 0);
    ASSERT_FALSE(curve.points.empty());
    EXPECT_FALSE(curve.points.front().result.failed());
  }
  EXPECT_EQ(as_json(figures[0])["curves"].size(), 4u);
  support::ScratchFolder folder;
  const auto svg = folder.path() / "figure.svg";
  const auto plotted = draw_plot(plot_of(figures), svg);
  ASSERT_TRUE(plotted.has_value()) << plotted.error().message();
  EXPECT_EQ(std::filesystem::exists(svg), *plotted);  // false where gnuplot is not installed
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "figure.svg.gnuplot"));
  EXPECT_EQ(draw_plot(plot_of(figures), "/no/such/folder/figure.svg").error().code(), Code::kUnavailable);
  options.simulation.queues.streams = 0;
  EXPECT_EQ(simulate_figure(queries, 20'000, options).curves.size(), 3u);
}

}  // namespace
}  // namespace frond::tools::bench
