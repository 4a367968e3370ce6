#include "tools/bench/schedule_figure.h"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

extern char** environ;

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kTitles = {"GPU only", "CPU only", "better, one at a time", "both"};
constexpr std::array<Configuration, 4> kConfigurations = {Configuration::kGpuOnly, Configuration::kCpuOnly,
                                                          Configuration::kBetterOneAtATime, Configuration::kBoth};

std::string_view title(Configuration configuration) { return kTitles[static_cast<std::size_t>(configuration)]; }
std::string_view name_of(Configuration configuration) {
  return kConfigurationNames[static_cast<std::size_t>(configuration)];
}

double sustained_of(const Figure& figure, Configuration configuration) {
  for (const FigureCurve& curve : figure.curves)
    if (curve.configuration == configuration) return curve.sustained;
  return 0;
}

std::string script_of(std::span<const Figure> figures, const std::filesystem::path& svg) {
  std::string script = fmt::format(
      "set terminal svg size 800,{} noenhanced background rgb 'white'\nset output '{}'\nset multiplot layout {},1\n"
      "set logscale xy\nset key left top\nset xlabel 'arrivals, queries/s'\nset ylabel 'average delay, ms'\n",
      420 * figures.size(), svg.filename().string(), figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    std::string plots;
    for (const FigureCurve& curve : figures[f].curves) {
      if (curve.points.empty() || curve.points.front().result.failed()) continue;
      const std::string data = fmt::format("$data_{}_{}", f, name_of(curve.configuration));
      script += data + " << END\n";
      for (const FigurePoint& point : curve.points)
        if (!point.result.failed()) script += fmt::format("{:.1f} {:.5f}\n", point.rate, point.result.mean_us / 1000);
      script += "END\n";
      plots +=
          fmt::format("{} {} with linespoints title '{}'", plots.empty() ? "" : ",", data, title(curve.configuration));
    }
    if (plots.empty()) continue;
    script += fmt::format("set title 'deadline {:g} ms'\nplot{}\n", figures[f].deadline_us / 1000, plots);
  }
  return script + "unset multiplot\n";
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
  fmt::print("\ndeadline {:g} ms: average delay, ms, by queries/s (Ding 2009, figure 7); -: a query missed it\n{:>12}",
             figure.deadline_us / 1000, "queries/s");
  std::size_t rows = 0;
  const FigureCurve* longest = nullptr;
  for (const FigureCurve& curve : figure.curves) {
    fmt::print(" {:>22}", title(curve.configuration));
    if (curve.points.size() > rows) longest = &curve;
    rows = std::max(rows, curve.points.size());
  }
  fmt::print("\n");
  for (std::size_t row = 0; row < rows; ++row) {
    fmt::print("{:>12.0f}", longest->points[row].rate);
    for (const FigureCurve& curve : figure.curves) {
      if (row < curve.points.size() && !curve.points[row].result.failed())
        fmt::print(" {:>22.3f}", curve.points[row].result.mean_us / 1000);
      else
        fmt::print(" {:>22}", "-");
    }
    fmt::print("\n");
  }
  fmt::print("{:>12}", "sustained");
  for (const FigureCurve& curve : figure.curves) fmt::print(" {:>22.0f}", curve.sustained);
  fmt::print("\n{:>12}", "p99 at 80 %");
  for (const FigureCurve& curve : figure.curves) fmt::print(" {:>22.3f}", curve.p99_at_80_us / 1000);
  const double cpu = sustained_of(figure, Configuration::kCpuOnly), gpu = sustained_of(figure, Configuration::kGpuOnly),
               both = sustained_of(figure, Configuration::kBoth);
  if (cpu > 0 && gpu > 0)
    fmt::print("\nboth: {:.2f} times GPU and CPU alone added, {:.1f} times the CPU alone\n", both / (cpu + gpu),
               both / cpu);
  else
    fmt::print("\n");
}

ordered_json as_json(const Figure& figure) {
  ordered_json out{{"deadline_ms", figure.deadline_us / 1000}, {"curves", ordered_json::array()}};
  for (const FigureCurve& curve : figure.curves) {
    ordered_json points = ordered_json::array();
    for (const FigurePoint& point : curve.points) {
      const SimulationResult& result = point.result;
      points.push_back({{"queries_per_second", point.rate},
                        {"failed", result.failed()},
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
                        {"batches", result.batches}});
    }
    out["curves"].push_back({{"configuration", name_of(curve.configuration)},
                             {"sustained_queries_per_second", curve.sustained},
                             {"p99_at_80_percent_us", curve.p99_at_80_us},
                             {"points", points}});
  }
  return out;
}

Result<bool> plot_figures(std::span<const Figure> figures, const std::filesystem::path& svg) {
  const std::string script = svg.string() + ".gnuplot";
  std::ofstream out(script, std::ios::trunc);
  out << script_of(figures, svg);
  if (!out.flush()) return Error(Code::kUnavailable, script + ": can't be written");
  out.close();
  std::string program = "gnuplot", file = std::filesystem::path(script).filename().string();
  char* const arguments[] = {program.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string folder = svg.has_parent_path() ? svg.parent_path().string() : ".";
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return false;
  if (failure != 0) return Error(Code::kUnavailable, std::string("gnuplot: ") + std::strerror(failure));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error(Code::kUnavailable, fmt::format("gnuplot failed on {}", script));
  return true;
}

}  // namespace frond::tools::bench
