// frond-papers: the papers' tables and figures, as many as this machine can run, on one page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "common/base/machine.h"
#include "common/config/command_line.h"
#include "tools/commands/commands.h"
#include "tools/papers/experiment.h"
#include "tools/papers/run_experiments.h"

namespace frond::tools::papers {
namespace {

struct Flags {
  std::filesystem::path out;
  std::vector<std::string> only;
  std::string scale = "small", stemmer = "porter", store_bodies = "on";
  unsigned threads = this_machine().cores, rounds = 0;
  std::uint32_t seed = 1;
  IndexingOptions indexing;
  std::uint64_t text_bytes = 0;
  bool list = false, json = false;
};

void print_experiments() {
  for (const Experiment& each : all_experiments())
    fmt::print("{:10} {:10} {:52} needs: {:11} on {}\n", each.id, each.number, each.title, name_of(each.needs),
               each.data);
}

// A line on stderr, so that standard output has the page or the JSON alone.
void print_outcome(const Outcome& outcome) {
  const std::string how = !outcome.not_run.empty()  ? "not run: " + outcome.not_run
                          : !outcome.failed.empty() ? "failed: " + outcome.failed
                                                    : fmt::format("{:.1f} s", outcome.seconds);
  fmt::print(stderr, "{:10} {}\n", outcome.experiment->id, how);
}

Result<void> run_papers(const Flags& flags) {
  if (flags.list) {
    print_experiments();
    return {};
  }
  if (!flags.out.empty()) FROND_TRY(check_folder(flags.out));
  RunOptions options{.only = flags.only,
                     .sizes = flags.scale == "full" ? full_sizes() : small_sizes(),
                     .threads = flags.threads,
                     .seed = flags.seed,
                     .indexing = flags.indexing,
                     .after_each = print_outcome};
  if (flags.rounds > 0) options.sizes.rounds = flags.rounds;
  if (flags.text_bytes > 0) options.sizes.text_bytes = flags.text_bytes;
  options.indexing.analyzer.stemmer = *text::stemmer_named(flags.stemmer);
  options.indexing.store_bodies = flags.store_bodies == "on";
  const Run run = FROND_TRY(run_experiments(options));
  if (!flags.out.empty() && !FROND_TRY(write_report(run, flags.out)))
    fmt::print(stderr, "{}: the page is without charts; {} has their scripts\n", bench::kNoGnuplot,
               (flags.out / "plots").string());
  if (flags.json)
    fmt::print("{}\n", json_of(run).dump());
  else if (flags.out.empty())
    fmt::print("{}", page_of(run, Beside::kNothing));
  else
    fmt::print("{}\n", (flags.out / "page.md").string());
  const auto failed = std::count_if(run.outcomes.begin(), run.outcomes.end(),
                                    [](const Outcome& outcome) { return !outcome.failed.empty(); });
  if (failed > 0) return Error(Code::kUnavailable, fmt::format("{} of {} failed", failed, run.outcomes.size()));
  return {};
}

void add_indexing_flags(config::CommandLine& app, Flags& flags) {
  IndexingOptions& indexing = flags.indexing;
  app.add_option("--input", indexing.inputs, "Wei 2011: files and folders to index, as frond-indexer build --input");
  app.add_option("--text-bytes", flags.text_bytes, "Wei 2011: or so much made-up text; 0: the scale's")
      .transform(config::byte_size())
      .show_default();
  app.add_option("--figure-10", indexing.rows, "Wei 2011: numbers of parsers of its rows");
  add_number(app, "--parsers", indexing.parsers, 0, 256, "Tables IV to VI: parsers; 0: two less than --threads");
  app.add_option("--gpu-inverters", indexing.gpu_inverters,
                 "Wei 2011: inverters on the GPU beside those on CPUs: numbers, each with rows of its own; 0: none")
      .show_default("1,2");
  app.add_option("--gpu-device", indexing.gpu.device, "The GPU that all of these use").show_default();
  add_bytes(app, "--gpu-memory", indexing.gpu.bytes, "2GiB", "Memory of the GPU for each of these");
  add_bytes(app, "--memory-limit", indexing.memory_limit, "8GiB", "Of every build, as frond-indexer build");
  add_choice(app, "--stemmer", flags.stemmer, {"porter", "english", "none"}, "As frond-indexer build");
  add_choice(app, "--cpu-dictionary", indexing.cpu_dictionary, {"hash", "btree"}, "As frond-indexer build");
  add_choice(app, "--store-bodies", flags.store_bodies, {"on", "off"}, "As frond-indexer build");
}

int run(int argc, char** argv) {
  config::CommandLine app("The papers' tables and figures, theirs beside ours: a page with charts, and JSON",
                          "frond-papers");
  Flags flags;
  app.add_flag("--list", flags.list, "Print the experiments and what they need, and measure nothing");
  app.add_option("--out", flags.out,
                 "The folder for page.md, charts and results.json; new or empty. Without it, the page is printed");
  app.add_option("--only", flags.only, "Only these: ding:t2, or all of a paper: ding, mallia, ao, wei").delimiter(',');
  add_choice(app, "--scale", flags.scale, {"small", "full"},
             "small: minutes on two cores; full: the papers' sizes, many times as much");
  app.add_option("--threads", flags.threads, "Threads that make data, and that are measured where many are")
      .check(config::range(1, 256))
      .show_default("one for each core");
  add_number(app, "--rounds", flags.rounds, 0, 1000, "Rounds, of which the median counts; 0: the scale's");
  app.add_option("--seed", flags.seed, "Of all made-up data").show_default();
  app.add_flag("--json", flags.json, "Print results.json as one line");
  add_indexing_flags(app, flags);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  const auto outcome = run_papers(flags);
  if (outcome) return 0;
  fmt::print(stderr, "frond-papers: {}\n", outcome.error().message());
  return 1;
}

}  // namespace
}  // namespace frond::tools::papers

int main(int argc, char** argv) { return frond::tools::main_of("frond-papers", argc, argv, frond::tools::papers::run); }
