#include "tools/bench/schedule/schedule_figure.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tools/bench/table.h"

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kTitles = {"GPU only", "CPU only", "better, one at a time", "both"};
constexpr std::array<Configuration, 4> kConfigurations = {Configuration::kGpuOnly, Configuration::kCpuOnly,
                                                          Configuration::kBetterOneAtATime, Configuration::kBoth};

std::string_view title(Configuration configuration) { return kTitles[static_cast<std::size_t>(configuration)]; }
std::string_view name_of(Configuration configuration) {
  constexpr std::array<std::string_view, 4> kNames = {"gpu", "cpu", "better", "both"};
  return kNames[static_cast<std::size_t>(configuration)];
}

ordered_json as_json(const SimulationResult& result) {
  return {{"failed", result.failed()},
          {"answered", result.answered},
          {"refused", result.refused},
          {"dropped", result.dropped},
          {"late", result.late},
          {"delay_us",
           {{"mean", result.mean_us},
            {"median", result.median_us},
            {"p95", result.p95_us},
            {"p99", result.p99_us},
            {"max", result.max_us}}},
          {"on_gpu", result.on_gpu},
          {"batches", result.batches}};
}

double sustained_of(const Figure& figure, Configuration configuration) {
  for (const FigureCurve& curve : figure.curves)
    if (curve.configuration == configuration) return curve.sustained;
  return 0;
}

}  // namespace

Figure simulate_figure(std::span<const SimulatedQuery> queries, double deadline_us, const FigureOptions& options) {
  Figure figure{deadline_us, {}};
  auto simulation = options.simulation;
  simulation.deadline_us = deadline_us;
  const auto arrivals_at = [&](double rate) {
    return std::max(options.arrivals, static_cast<std::size_t>(4 * rate * deadline_us / 1e6));
  };
  double best = 0, worst = 0;
  for (const Configuration configuration : kConfigurations) {
    if (configuration == Configuration::kGpuOnly && simulation.queues.streams == 0) continue;
    if (configuration == Configuration::kCpuOnly && simulation.queues.workers == 0) continue;
    simulation.configuration = configuration;
    FigureCurve curve{configuration, sustained_rate(queries, simulation, options.arrivals, options.seed), 0, {}};
    if (curve.sustained > 0) {
      const double rate = 0.8 * curve.sustained;
      const auto arrivals = poisson_arrivals(arrivals_at(rate), rate, queries.size(), options.seed);
      curve.p99_at_80_us = simulate(queries, arrivals, simulation).p99_us;
    }
    best = std::max(best, curve.sustained);
    if (curve.sustained > 0) worst = worst > 0 ? std::min(worst, curve.sustained) : curve.sustained;
    figure.curves.push_back(std::move(curve));
  }
  for (FigureCurve& curve : figure.curves) {
    if (curve.sustained == 0) continue;
    simulation.configuration = curve.configuration;
    for (std::size_t i = 0; i < options.points; ++i) {
      const double part = options.points > 1 ? static_cast<double>(i) / static_cast<double>(options.points - 1) : 1;
      const double rate = worst / 2 * std::pow(2 * best / worst, part);
      const auto arrivals = poisson_arrivals(arrivals_at(rate), rate, queries.size(), options.seed);
      curve.points.push_back({rate, simulate(queries, arrivals, simulation)});
      curve.points.back().result.ends.clear();
      if (curve.points.back().result.failed()) break;
    }
  }
  return figure;
}

void print_figure(const Figure& figure) {
  fmt::print("\ndeadline {:g} ms: average delay, ms, by queries/s (Ding 2009, figure 7); empty: a query missed it\n",
             figure.deadline_us / 1000);
  Table table{.title = {}, .columns = {{"queries/s"}}, .rows = {}};
  const FigureCurve* longest = nullptr;
  for (const FigureCurve& curve : figure.curves) {
    table.columns.push_back({std::string(title(curve.configuration)), 3});
    if (longest == nullptr || curve.points.size() > longest->points.size()) longest = &curve;
  }
  for (std::size_t row = 0; longest != nullptr && row < longest->points.size(); ++row) {
    std::vector<Cell> cells{longest->points[row].rate};
    for (const FigureCurve& curve : figure.curves) {
      const bool shown = row < curve.points.size() && !curve.points[row].result.failed();
      cells.push_back(shown ? Cell(curve.points[row].result.mean_us / 1000) : Cell());
    }
    table.rows.push_back(std::move(cells));
  }
  std::vector<Cell> sustained{"sustained"}, slow{"p99 at 80 %"};
  for (const FigureCurve& curve : figure.curves) {
    sustained.emplace_back(grouped(curve.sustained));
    slow.emplace_back(curve.p99_at_80_us / 1000);
  }
  table.rows.insert(table.rows.end(), {sustained, slow});
  fmt::print("{}", text_of(table));
  const double cpu = sustained_of(figure, Configuration::kCpuOnly), gpu = sustained_of(figure, Configuration::kGpuOnly),
               both = sustained_of(figure, Configuration::kBoth);
  if (cpu > 0 && gpu > 0)
    fmt::print("both: {:.2f} times GPU and CPU alone added, {:.1f} times the CPU alone\n", both / (cpu + gpu),
               both / cpu);
}

ordered_json as_json(const Figure& figure) {
  ordered_json out{{"deadline_ms", figure.deadline_us / 1000}, {"curves", ordered_json::array()}};
  for (const FigureCurve& curve : figure.curves) {
    ordered_json points = ordered_json::array();
    for (const FigurePoint& point : curve.points) {
      points.push_back(as_json(point.result));
      points.back()["queries_per_second"] = point.rate;
    }
    out["curves"].push_back({{"configuration", name_of(curve.configuration)},
                             {"sustained_queries_per_second", curve.sustained},
                             {"p99_at_80_percent_us", curve.p99_at_80_us},
                             {"points", points}});
  }
  return out;
}

Plot plot_of(std::span<const Figure> figures) {
  Plot plot{.title = "Average delay by arrival rate",
            .x_title = "arrivals, queries a second",
            .y_title = "milliseconds",
            .log_x = true,
            .log_y = true};
  for (const Figure& figure : figures)
    for (const FigureCurve& curve : figure.curves) {
      Series series{.name = fmt::format("{}, deadline {:g} ms", title(curve.configuration), figure.deadline_us / 1000)};
      for (const FigurePoint& point : curve.points)
        if (!point.result.failed()) series.points.emplace_back(point.rate, point.result.mean_us / 1000);
      plot.series.push_back(std::move(series));
    }
  return plot;
}

}  // namespace frond::tools::bench
