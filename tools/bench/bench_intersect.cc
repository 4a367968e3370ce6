// frond bench intersect: measures every intersection method on the papers' sets, on a GPU in batches or on this
// machine's cores.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/bench/intersection_figures.h"
#include "tools/bench/intersection_report.h"
#include "tools/bench/intersection_timing.h"
#include "tools/commands.h"

namespace frond::tools::bench {
namespace {

using leaf::gpu::intersect::Method;
using nlohmann::ordered_json;

struct BenchIntersectFlags {
  std::vector<std::string> methods;
  std::vector<std::uint32_t> pairs;
  std::string processor = "gpu", order = "random";
  unsigned threads = 0;  // 0: as many as the processor has
  IntersectionSetOptions set;
  IntersectionOptions options;
  bool list = false, json = false, engine = true, linearity = false;
};

Result<std::vector<Method>> chosen_methods(const BenchIntersectFlags& flags) {
  std::vector<Method> chosen;
  const auto all = leaf::gpu::intersect::all_methods();
  if (flags.methods.empty()) chosen.assign(all.begin(), all.end());
  for (const std::string& name : flags.methods) {
    const std::size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](Method method) { return is_named(method, name); });
    if (chosen.size() == before) return Error(Code::kInvalid, "no method " + name + "; --list prints all");
  }
  return chosen;
}

// Measures all methods on one set. Rows are added to `rows` or printed.
Result<void> measure_set(const BenchIntersectFlags& flags, const IntersectionSet& set,
                         const IntersectionOptions& options, ordered_json& rows) {
  const bool gpu = flags.processor == "gpu";
  if (!flags.json) {
    print_intersection_set(set);
    if (flags.linearity) print_linearity(set, options.threads);
    print_intersection_head();
  }
  const auto put = [&](const std::string& processor, const std::string& name, const IntersectionTiming& timing) {
    if (flags.json) {
      rows.push_back(intersection_as_json(set, processor, name, timing));
    } else {
      print_intersection(set, name, timing);
    }
  };
  const std::vector<Method> methods = FROND_TRY(chosen_methods(flags));
  for (const Method method : methods) {
    if (gpu) {
      const auto timings = FROND_TRY(time_on_gpu(set, method, options));
      for (const IntersectionTiming& timing : timings) put("gpu", name_of(method), timing);
    } else if (needs_no_kernel(method)) {
      put("cpu", name_of(method), FROND_TRY(time_on_cpu(set, method, options)));
    }
  }
  if (flags.engine) {
    const auto timed = FROND_TRY(time_cpu_engine(set, options));
    put("cpu", fmt::format("engine cpu, {} threads", options.threads), timed);
  }
  return {};
}

Result<void> bench_intersect(const BenchIntersectFlags& flags) {
  if (flags.list) {
    if (flags.json) {
      fmt::print("{}\n", methods_as_json().dump());
    } else {
      print_methods();
    }
    return {};
  }
  FROND_TRY(chosen_methods(flags));
  if (flags.processor == "gpu") FROND_TRY(find_gpu());
  auto sets = ordered_json::array();
  if (!flags.json)
    fmt::print(
        "{}, {} threads; median of {} rounds with the slowest and the fastest; integers: docIDs of the shortest lists; "
        "ms: a batch (cpu: a query) alone. Seed {}.\nAll answers are compared with std::set_intersection's.\n",
        flags.processor == "gpu" ? "Batches on the GPU, answers in host memory" : "On this machine's cores",
        flags.options.threads, flags.options.rounds, flags.set.seed);
  const auto run = [&](const IntersectionSet& set, const IntersectionOptions& options) -> Result<void> {
    auto rows = ordered_json::array();
    FROND_TRY(measure_set(flags, set, options, rows));
    sets.push_back({{"set", set.name},
                    {"documents", set.documents},
                    {"lists", set.lists.size()},
                    {"docids", set.postings()},
                    {"queries", set.queries.size()},
                    {"docids_a_query", set.postings_a_query()},
                    {"computations_a_query", set.computations_a_query()},
                    {"methods", rows}});
    return {};
  };
  if (!flags.pairs.empty() && !flags.json)
    fmt::print("{}: with {} levels below {} ns an integer of one list, where lists are long.\n", kPairFigure.source,
               kPairFigure.levels, kPairFigure.nanoseconds);
  for (const std::uint32_t count : flags.pairs) {
    IntersectionOptions alone = flags.options;
    alone.thresholds = {1};
    FROND_TRY(run(make_pair_set(count, flags.set.seed, flags.options.threads), alone));
  }
  if (flags.pairs.empty()) {
    const IntersectionSet set = FROND_TRY(make_intersection_set(flags.set));
    FROND_TRY(run(set, flags.options));
  }
  if (flags.json)
    fmt::print("{}\n", ordered_json{{"processor", flags.processor},
                                    {"threads", flags.options.threads},
                                    {"rounds", flags.options.rounds},
                                    {"seed", flags.set.seed},
                                    {"sets", sets}}
                           .dump());
  return {};
}

}  // namespace

void add_bench_intersect(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchIntersectFlags>();
  flags->set.threads = flags->options.threads = std::max(1u, std::thread::hardware_concurrency());
  auto& command = bench_command.add_command(
      "intersect", "Methods of intersection on the papers' sets: queries a second, response time, integers a second");
  command.add_flag("--list", flags->list, "Print the methods with paper and section, and measure nothing");
  command.add_option("--processor", flags->processor, "gpu: in batches; cpu: the same searches on threads")
      .check(config::one_of({"gpu", "cpu"}))
      .show_default();
  command.add_option("--method", flags->methods, "Only these: NAME or NAME:NUMBER");
  command.add_option("--profile", flags->set.profile, "The collection: gov, gov2, clueweb09").show_default();
  command.add_option("--order", flags->order, "docIDs: clustered as in input order, or at random")
      .check(config::one_of({"input", "random"}))
      .show_default();
  command
      .add_option("--pairs", flags->pairs,
                  "In place of a profile, two lists of so many docIDs, one query (Ding 2009, Figure 6)")
      .check(config::range(2, 100'000'000));
  command.add_option("--threshold", flags->options.thresholds, "Computations a batch, one or more (Ao 2011 3.1)")
      .check(config::range(1, 1 << 24))
      .show_default();
  command.add_option("--documents", flags->set.documents, "Documents; 0: the profile's").show_default();
  command.add_option("--queries", flags->set.queries, "Queries").check(config::range(1, 10'000'000)).show_default();
  command.add_option("--slots", flags->options.slots, "Batches under way").check(config::range(1, 16)).show_default();
  command.add_option("--rounds", flags->options.rounds, "Times all queries are timed")
      .check(config::range(1, 1000))
      .show_default();
  command.add_option("--threads", flags->threads, "Threads that make lists, and that the CPU intersects with")
      .check(config::range(1, 1024))
      .show_default("one for each core");
  command.add_option("--seed", flags->set.seed, "Of lists and queries").show_default();
  command.add_flag("!--no-engine", flags->engine, "Leave out engine cpu, for comparison");
  command.add_flag("--linearity", flags->linearity, "How near the lists are to lines (Ao 2011, Table 1)");
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] {
    flags->set.order = flags->order == "input" ? synth::DocidOrder::kInput : synth::DocidOrder::kRandom;
    if (flags->threads > 0) flags->set.threads = flags->options.threads = flags->threads;
    status = exit_status("bench intersect", bench_intersect(*flags));
  });
}

}  // namespace frond::tools::bench
