// frond bench schedule: trains the leaf's cost model, and simulates its scheduler under a virtual clock.
#include "tools/bench/schedule/bench_schedule.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/bench/schedule/schedule_figure.h"
#include "tools/bench/schedule/schedule_simulation.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {

using nlohmann::ordered_json;

Result<void> simulate_schedule(const BenchScheduleFlags& flags) {
  const leaf::schedule::CostModel& model = leaf::schedule::default_cost_model();
  const auto queries = synthetic_queries(10'000, {}, flags.seed);
  FigureOptions options{.simulation = {}, .arrivals = flags.arrivals, .seed = flags.seed};
  options.simulation =
      simulation_options(flags.workers, flags.streams, flags.batch, static_cast<double>(model.launch_us));
  options.simulation.scales = model.scales;
  if (!flags.json)
    fmt::print("{} queries; {} workers, {} streams, batches of up to {}; {} arrivals a run, seed {}\n", queries.size(),
               flags.workers, flags.streams, flags.batch, flags.arrivals, flags.seed);
  std::vector<Figure> figures;
  auto rows = ordered_json::array();
  for (const double deadline : flags.deadlines_ms) {
    figures.push_back(simulate_figure(queries, deadline * 1000, options));
    if (flags.json)
      rows.push_back(as_json(figures.back()));
    else
      print_figure(figures.back());
    std::fflush(stdout);
  }
  if (flags.json)
    fmt::print("{}\n", ordered_json{{"queries", queries.size()},
                                    {"workers", flags.workers},
                                    {"streams", flags.streams},
                                    {"arrivals", flags.arrivals},
                                    {"figures", rows}}
                           .dump());
  return {};
}

void add_bench_schedule(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchScheduleFlags>();
  auto& command = bench_command.add_command(
      "schedule", "The leaf's scheduler, simulated: delay by arrival rate; with --train: its cost model");
  command.add_flag("--train", flags->train, "Measure queries of an index and train a cost model, instead of simulating")
      .group("How");
  command.add_option("--repository", flags->repository, "With --train: the repository, a directory or URL")
      .group("What");
  command
      .add_option("--collection", flags->collections,
                  "Its collection, of which all partitions are searched; several: all are measured")
      .group("What");
  command
      .add_option("--queries", flags->queries,
                  "number:text, id<TAB>text, plain lines, or JSON lines {\"query\"}; a file for each collection, or "
                  "one for all")
      .group("What");
  command.add_option("--limit", flags->limit, "Only the first so many queries of a file; 0: all").show_default();
  add_number(command, "--k", flags->ks, 1, 10'000, "Hits wanted, one or more").group("How");
  add_number(command, "--rounds", flags->rounds, 1, 10'000, "A query's time is the best of so many");
  add_number(command, "--trees", flags->trees, 0, static_cast<int>(leaf::schedule::CostRegression::kMaxTrees),
             "Of each processor and mode, at most");
  add_choice(command, "--processor", flags->processor, {"cpu", "gpu", "both"},
             "What is measured; the rest of the model stays the default")
      .group("How");
  add_number(command, "--callers", flags->callers, 1, 1024, "Threads that call the GPU");
  command.add_option("--gpu-device", flags->gpu.devices.front(), "The device's number").show_default();
  command.add_option("--gpu-memory", flags->gpu.memory_bytes, "Bytes of it to use: workspaces and lists")
      .transform(config::byte_size())
      .show_default();
  command.add_option("--model", flags->model, "With --train: writes the model to this file").group("Files");
  add_number(command, "--workers", flags->workers, 0, 1024, "The CPU's threads").group("How");
  add_number(command, "--streams", flags->streams, 0, 64, "The GPU's batches at a time; 0: no GPU");
  add_number(command, "--batch", flags->batch, 1, 65536, "Queries in a batch, at most");
  add_number(command, "--deadline-ms", flags->deadlines_ms, 0.1, 1e6, "Deadlines, one or more").group("How");
  add_number(command, "--arrivals", flags->arrivals, 1, 10'000'000,
             "Queries of each run; more if they come in less than four times the deadline");
  command.add_option("--seed", flags->seed, "Of queries and arrivals").show_default();
  command.add_flag("--json", flags->json, "Print one JSON object").group("Files");
  command.on_chosen([flags, &status] {
    status = exit_status("bench schedule", flags->train ? train_schedule(*flags) : simulate_schedule(*flags));
  });
}

}  // namespace frond::tools::bench
