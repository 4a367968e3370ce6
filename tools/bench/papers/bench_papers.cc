// frond bench papers: the papers' tables and figures, as many as this machine can run, on one page.
#include "tools/bench/papers/bench_papers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/bench/papers/registry.h"
#include "tools/commands.h"

namespace frond::tools::bench {
namespace {

using namespace papers;

struct BenchPapersFlags {
  std::filesystem::path out;
  std::vector<std::string> only;
  std::string scale = "small";
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::uint32_t seed = 1;
  bool list = false, json = false;
};

void print_experiments() {
  for (const Experiment& each : all_experiments())
    fmt::print("{:10} {:10} {:52} needs: {:11} on {}\n", each.id, each.number, each.title, name_of(each.needs),
               each.data);
}

// A line on stderr, so that standard output has the JSON alone.
void print_outcome(const Outcome& outcome) {
  const std::string how = !outcome.not_run.empty()  ? "not run: " + outcome.not_run
                          : !outcome.failed.empty() ? "failed: " + outcome.failed
                                                    : fmt::format("{:.1f} s", outcome.seconds);
  fmt::print(stderr, "{:10} {}\n", outcome.experiment->id, how);
}

Result<void> bench_papers(const BenchPapersFlags& flags) {
  if (flags.list) {
    print_experiments();
    return {};
  }
  if (flags.out.empty()) return Error(Code::kInvalid, "--out is needed, or --list");
  FROND_TRY(check_folder(flags.out));
  const Run run = FROND_TRY(run_experiments({.only = flags.only,
                                             .sizes = flags.scale == "full" ? full_sizes() : small_sizes(),
                                             .threads = flags.threads,
                                             .seed = flags.seed,
                                             .after_each = print_outcome}));
  FROND_TRY(write_report(run, flags.out));
  if (flags.json)
    fmt::print("{}\n", json_of(run).dump());
  else
    fmt::print("{}\n", (flags.out / "index.html").string());
  const auto failed = std::count_if(run.outcomes.begin(), run.outcomes.end(),
                                    [](const Outcome& outcome) { return !outcome.failed.empty(); });
  if (failed > 0) return Error(Code::kUnavailable, fmt::format("{} of {} failed", failed, run.outcomes.size()));
  return {};
}

}  // namespace

void add_bench_papers(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchPapersFlags>();
  auto& command = bench_command.add_command(
      "papers", "The papers' tables and figures, theirs beside ours: a page with plots, and JSON");
  command.add_flag("--list", flags->list, "Print the experiments and what they need, and measure nothing");
  command.add_option("--out", flags->out, "The folder for index.html, plots and results.json; new or empty");
  command.add_option("--only", flags->only, "Only these: ding:t2, or all of a paper: ding, mallia, ao, wei")
      .delimiter(',');
  command
      .add_option("--scale", flags->scale, "small: minutes on two cores; full: the papers' sizes, many times as much")
      .check(config::one_of({"small", "full"}))
      .show_default();
  command.add_option("--threads", flags->threads, "Threads that make data, and that are measured where many are")
      .check(config::range(1, 256))
      .show_default("one for each core");
  command.add_option("--seed", flags->seed, "Of all made-up data").show_default();
  command.add_flag("--json", flags->json, "Also print results.json as one line");
  command.on_chosen([flags, &status] { status = exit_status("bench papers", bench_papers(*flags)); });
}

}  // namespace frond::tools::bench
