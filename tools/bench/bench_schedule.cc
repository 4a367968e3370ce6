// frond bench schedule: trains the leaf's cost model, and simulates its scheduler under a virtual clock.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>

#include "common/config/command_line.h"
#include "leaf/engines.h"
#include "leaf/schedule/cost_model_text.h"
#include "tools/bench/commands.h"
#include "tools/bench/cost_measurement.h"
#include "tools/bench/query_set.h"
#include "tools/bench/schedule_figure.h"
#include "tools/bench/schedule_trace.h"
#include "tools/bench/schedule_workload.h"
#include "tools/commands.h"

namespace frond::tools::bench {
namespace {

using leaf::schedule::CostModel, leaf::schedule::Processor;
using nlohmann::ordered_json;

struct BenchScheduleFlags {
  bool train = false;
  PartitionChoice from;
  std::string queries, tag, processor = "cpu", model, trace;
  std::vector<std::uint32_t> ks{1, 10, 100, 1000};
  std::size_t limit = 1000, trees = leaf::schedule::CostRegression::kMaxTrees;
  std::uint32_t rounds = 3, callers = 3;
  BenchGpuOptions gpu;
  std::uint32_t workers = 16, streams = 3;
  std::size_t batch = 512, arrivals = 20'000, points = 16;
  std::uint64_t seed = 1;
  std::vector<double> deadlines_ms{500, 50};
  double error = 0.22, bias = 1;
  std::string plot;
  bool json = false;
};

Result<void> write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  if (!out.flush()) return Error(Code::kUnavailable, file + ": can't be written");
  return {};
}

ordered_json as_json(const RelativeErrors& errors) {
  return {{"count", errors.count},
          {"mean", errors.mean},
          {"median", errors.median},
          {"p90", errors.p90},
          {"predicted_by_measured", errors.bias}};
}

void print_errors(std::string_view what, const RelativeErrors& errors) {
  if (errors.count > 0)
    fmt::print(
        "{:10} {:>6} held out: mean {:>5.1f} %, median {:>5.1f} %, p90 {:>5.1f} %; predicted by measured {:.2f}\n",
        what, errors.count, 100 * errors.mean, 100 * errors.median, 100 * errors.p90, errors.bias);
}

// What the simulation needs of measured queries. What was not measured on the GPU is what the model predicts.
ScheduleTrace trace_of(std::span<const CostedQuery> queries, const CostModel& model) {
  ScheduleTrace trace{static_cast<double>(model.launch_us), model.scales, {}};
  for (const CostedQuery& query : queries) {
    if (!is_held_out(query)) continue;  // the model has seen the others
    const auto inputs = cost_inputs(query.features);
    const auto predicted = [&](Processor processor) {
      return model.microseconds(processor, query.features.mode, inputs);
    };
    const double gpu = predicted(Processor::kGpu), cpu = predicted(Processor::kCpu);
    trace.queries.push_back(
        {query.cpu_us > 0 ? query.cpu_us : cpu, query.gpu_us > 0 ? query.gpu_us : gpu, cpu, gpu, true});
  }
  return trace;
}

void report(const BenchScheduleFlags& flags, const TrainedModel& trained, const BatchCosts* batches,
            std::size_t queries) {
  constexpr std::string_view kNames[2][2] = {{"cpu and", "cpu or"}, {"gpu and", "gpu or"}};
  ordered_json rows;
  for (std::size_t p = 0; p < leaf::schedule::kProcessors; ++p)
    for (std::size_t m = 0; m < leaf::schedule::kModes; ++m) {
      if (flags.json) {
        rows[std::string(kNames[p][m])] = {{"trained", as_json(trained.held_out[p][m])},
                                           {"default", as_json(trained.base[p][m])}};
      } else {
        print_errors(kNames[p][m], trained.held_out[p][m]);
        print_errors("  default", trained.base[p][m]);
      }
    }
  if (batches != nullptr) {
    if (flags.json) {
      rows["batches"] = as_json(batches->batches);
    } else {
      print_errors("batches", batches->batches);
      fmt::print("a launch takes {:.1f} us; what a query adds, by that in a batch of 64:", batches->launch_us);
      for (const auto& scale : batches->scales) fmt::print(" {}: {:.2f}", scale.queries, scale.scale);
      fmt::print("\n");
    }
  }
  if (flags.json) fmt::print("{}\n", ordered_json{{"costs", queries}, {"errors", rows}}.dump());
}

Result<void> train_model(const BenchScheduleFlags& flags) {
  if (flags.from.repository.empty() || flags.from.collection.empty() || flags.queries.empty())
    return Error(Code::kInvalid, "--train needs --repository, --collection and --queries");
  const auto cpu = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  std::unique_ptr<BenchGpu> gpu;
  if (flags.processor != "cpu") gpu = FROND_TRY(make_bench_gpu(flags.gpu, *cpu));
  const auto searchers = FROND_TRY(open_partitions(flags.from));
  auto read = FROND_TRY(read_queries(flags.queries, flags.tag, searchers.front()->analyzer()));
  if (flags.limit > 0 && read.size() > flags.limit) read.resize(flags.limit);
  constexpr leaf::engine::Mode kModes[] = {leaf::engine::Mode::kAnd, leaf::engine::Mode::kOr};
  auto queries = FROND_TRY(plan_costed(searchers, read, kModes, flags.ks));
  if (!flags.json)
    fmt::print("{}; {} partitions\n{} queries, {} costs: modes and, or; {} values of k\n",
               searchers.front()->description(), searchers.size(), read.size(), queries.size(), flags.ks.size());
  if (flags.processor != "gpu") FROND_TRY(measure_cpu(*cpu, queries, flags.rounds));
  std::optional<BatchCosts> batches;
  if (gpu != nullptr) batches = FROND_TRY(measure_gpu(*gpu, queries, flags.callers, flags.rounds));
  const TrainedModel trained =
      train(queries, batches ? &*batches : nullptr, leaf::schedule::default_cost_model(), flags.trees);
  report(flags, trained, batches ? &*batches : nullptr, queries.size());
  const std::string trained_on =
      fmt::format("trained on {}; {} partitions, {} queries; measured: {}", searchers.front()->description(),
                  searchers.size(), read.size(), flags.processor);
  if (!flags.model.empty()) FROND_TRY(write(flags.model, cost_model_text(trained.model, trained_on)));
  if (!flags.trace.empty())
    FROND_TRY(write(flags.trace, schedule_trace_text(trace_of(queries, trained.model), trained_on)));
  return {};
}

Result<void> simulate_figures(const BenchScheduleFlags& flags) {
  ScheduleTrace trace;
  if (!flags.trace.empty())
    trace = FROND_TRY(read_schedule_trace(flags.trace));
  else
    trace = {leaf::schedule::default_cost_model().launch_us, leaf::schedule::default_cost_model().scales,
             synthetic_queries(10'000, {.error = flags.error, .bias = flags.bias}, flags.seed)};
  FigureOptions options{.arrivals = flags.arrivals, .points = flags.points, .seed = flags.seed};
  options.simulation.launch_us = trace.launch_us;
  options.simulation.scales = trace.scales;
  options.simulation.queues = {.workers = flags.workers,
                               .streams = flags.streams,
                               .max_waiting = 65536,
                               .max_batch = flags.batch,
                               .launch = std::chrono::microseconds(static_cast<std::int64_t>(trace.launch_us))};
  if (!flags.json)
    fmt::print("{}: {} queries; {} workers, {} streams, batches of up to {}; {} arrivals a run, seed {}\n",
               flags.trace.empty() ? "synthetic" : flags.trace, trace.queries.size(), flags.workers, flags.streams,
               flags.batch, flags.arrivals, flags.seed);
  std::vector<Figure> figures;
  auto rows = ordered_json::array();
  for (const double deadline : flags.deadlines_ms) {
    figures.push_back(simulate_figure(trace.queries, deadline * 1000, options));
    if (flags.json)
      rows.push_back(as_json(figures.back()));
    else
      print_figure(figures.back());
    std::fflush(stdout);
  }
  if (flags.json)
    fmt::print("{}\n", ordered_json{{"queries", trace.queries.size()},
                                    {"workers", flags.workers},
                                    {"streams", flags.streams},
                                    {"arrivals", flags.arrivals},
                                    {"figures", rows}}
                           .dump());
  if (flags.plot.empty()) return {};
  if (!FROND_TRY(plot_figures(figures, flags.plot)))
    fmt::print(stderr, "no gnuplot here (Debian: gnuplot-nox); {}.gnuplot makes the plot where there is one\n",
               flags.plot);
  return {};
}

}  // namespace

void add_bench_schedule(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchScheduleFlags>();
  auto& command = bench_command.add_command(
      "schedule", "The leaf's scheduler, simulated: delay by arrival rate; with --train: its cost model");
  command.add_flag("--train", flags->train,
                   "Measure queries of an index and train a cost model, instead of simulating");
  command.add_option("--repository", flags->from.repository, "With --train: the repository, a directory or URL");
  command.add_option("--collection", flags->from.collection, "Its collection, of which all partitions are searched");
  command.add_option("--queries", flags->queries, "number:text, id<TAB>text, plain lines, or JSON lines {\"query\"}");
  command.add_option("--tag", flags->tag, "Only JSON lines with this tag");
  command.add_option("--limit", flags->limit, "Only the first so many queries; 0: all").show_default();
  command.add_option("--k", flags->ks, "Hits wanted, one or more").check(config::range(1, 10'000)).show_default();
  command.add_option("--rounds", flags->rounds, "A query's time is the best of so many")
      .check(config::range(1, 10'000))
      .show_default();
  command.add_option("--trees", flags->trees, "Of each processor and mode, at most")
      .check(config::range(0, static_cast<int>(leaf::schedule::CostRegression::kMaxTrees)))
      .show_default();
  command.add_option("--processor", flags->processor, "What is measured; the rest of the model stays the default")
      .check(config::one_of({"cpu", "gpu", "both"}))
      .show_default();
  command.add_option("--callers", flags->callers, "Threads that call the GPU")
      .check(config::range(1, 1024))
      .show_default();
  command.add_option("--gpu-device", flags->gpu.device, "The device's number").show_default();
  command.add_option("--gpu-memory", flags->gpu.memory_bytes, "Bytes of it to use: workspaces and lists")
      .transform(config::byte_size())
      .show_default();
  command.add_option("--model", flags->model, "With --train: writes the model to this file");
  command.add_option("--trace", flags->trace,
                     "With --train: writes the costs of the held out queries to this file. Otherwise: simulates the "
                     "queries of this file instead of synthetic ones");
  command.add_option("--workers", flags->workers, "The CPU's threads").check(config::range(0, 1024)).show_default();
  command.add_option("--streams", flags->streams, "The GPU's batches at a time; 0: no GPU")
      .check(config::range(0, 64))
      .show_default();
  command.add_option("--batch", flags->batch, "Queries in a batch, at most")
      .check(config::range(1, 65536))
      .show_default();
  command.add_option("--deadline-ms", flags->deadlines_ms, "Deadlines, one or more")
      .check(config::range(0.1, 1e6))
      .show_default();
  command.add_option("--arrivals", flags->arrivals, "Queries of each run")
      .check(config::range(1, 10'000'000))
      .show_default();
  command.add_option("--points", flags->points, "Rates in a curve").check(config::range(1, 1000)).show_default();
  command.add_option("--error", flags->error, "Synthetic: spread of the logarithm of predictions; 0.22: 15 % off")
      .check(config::range(0.0, 10.0))
      .show_default();
  command.add_option("--bias", flags->bias, "Synthetic: all predictions are wrong by this factor")
      .check(config::range(0.01, 100.0))
      .show_default();
  command.add_option("--seed", flags->seed, "Of synthetic queries and arrivals").show_default();
  command.add_option("--plot", flags->plot, "Also plots the curves to this SVG file, with gnuplot");
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] {
    status = exit_status("bench schedule", flags->train ? train_model(*flags) : simulate_figures(*flags));
  });
}

}  // namespace frond::tools::bench
