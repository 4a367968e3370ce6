// frond bench query: measures the query algorithms on one partition, without a cluster.
#include <cstdio>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/config/command_line.h"
#include "common/scoring/prior.h"
#include "leaf/engines.h"
#include "tools/bench/commands.h"
#include "tools/bench/gpu/processor_rows.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/query/query_timing.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {
namespace {

struct BenchQueryFlags {
  PartitionChoice from;
  std::vector<std::string> algorithms{std::string(leaf::kDefaultEngine)};
  std::vector<std::uint32_t> ks{10};
  std::vector<std::string> modes{"or"};
  std::string queries, tag, write_queries;
  std::size_t min_terms = 1, limit = 0;
  TimingOptions timing;
  bool json = false, count = false, gpu_no_buckets = false;
  std::string rank = "score", sort_score = "none";
  std::string processor;  // empty: the CPU's algorithms, by CPU time
  std::vector<std::size_t> batches{1, 16, 64, 256, 2000};
  std::uint32_t callers = 3;
  double seconds = 1;
  bool break_even = false;
  BenchGpuOptions gpu;
};

BenchMode mode_named(std::string_view name) {
  if (name == "and") return BenchMode::kAnd;
  return name == "or" ? BenchMode::kOr : BenchMode::kAuto;
}

// The first `limit` queries of at least `min_terms` distinct terms, all of them known.
Result<std::vector<BenchQuery>> chosen_queries(const BenchQueryFlags& flags, const PartitionSearcher& searcher) {
  auto read = FROND_TRY(read_queries(flags.queries, flags.tag, searcher.analyzer(), searcher.query_form()));
  std::vector<BenchQuery> chosen;
  for (auto& query : read) {
    if (flags.limit > 0 && chosen.size() == flags.limit) break;
    if (flags.min_terms > 1 &&
        (query.size() < flags.min_terms || FROND_TRY(searcher.known_terms(query)) < query.size()))
      continue;
    chosen.push_back(std::move(query));
  }
  if (chosen.empty())
    return Error(Code::kInvalid,
                 fmt::format("{}: no query has {} distinct known terms", flags.queries, flags.min_terms));
  return chosen;
}

Result<void> write_terms(const std::string& file, std::span<const BenchQuery> queries, QueryForm form) {
  std::string lines;
  for (const auto& query : queries) lines += query_line(query, form) + '\n';
  return write_text(file, lines);
}

// What was measured of an algorithm, as a line below this head.
constexpr const char* kHead =
    "algorithm            mode     k threads     whole search us: mean median p95 p99 "
    "      evaluation us: mean median p95 p99  queries/s   postings  answers\n";

std::string line_of(std::string_view algorithm, std::string_view mode, const TimingOptions& options,
                    const QueryTiming& timing) {
  const auto shown = [](const Distribution& us) {
    return fmt::format("{:>10.2f} {:>9.2f} {:>9.2f} {:>9.2f}", us.mean, us.median, us.p95, us.p99);
  };
  return fmt::format("{:20} {:4} {:>5} {:>7} {} {} {:>10.0f} {:>10.0f}  {:016x}\n", algorithm, mode, options.k,
                     options.threads, shown(timing.whole), shown(timing.evaluation), timing.queries_per_second,
                     timing.postings, timing.checksum);
}

nlohmann::ordered_json as_json(std::string_view algorithm, std::string_view mode, std::uint32_t k,
                               const QueryTiming& timing) {
  return {{"algorithm", algorithm},
          {"mode", mode},
          {"k", k},
          {"whole_us", as_json(timing.whole)},
          {"evaluation_us", as_json(timing.evaluation)},
          {"queries_per_second", timing.queries_per_second},
          {"best_queries_per_second", timing.best_queries_per_second},
          {"postings", timing.postings},
          {"answers", fmt::format("{:016x}", timing.checksum)}};
}

// For --processor: measures the leaf's engines unchanged, by the wall clock.
Result<void> bench_by_processor(const BenchQueryFlags& flags) {
  const auto cpu = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  std::unique_ptr<BenchGpu> gpu;
  if (flags.processor != "cpu") gpu = FROND_TRY(make_bench_gpu(flags.gpu, *cpu));  // fails before anything is read
  ProcessorOptions options{.modes = {},
                           .ks = flags.ks,
                           .ranked = flags.timing.ranked,
                           .batches = flags.batches,
                           .callers = flags.callers,
                           .threads = flags.timing.threads,
                           .rounds = flags.timing.rounds,
                           .seconds = flags.seconds,
                           .break_even = flags.break_even,
                           .steps = flags.gpu.timed};
  for (const auto& mode : flags.modes) options.modes.push_back(mode_named(mode));
  const auto searcher = FROND_TRY(PartitionSearcher::open(flags.from));
  const auto queries = FROND_TRY(chosen_queries(flags, *searcher));
  return bench_processors(*searcher, queries, options, {flags.processor == "gpu" ? nullptr : cpu.get(), gpu.get()},
                          flags.json);
}

Result<void> bench_query(const BenchQueryFlags& flags) {
  if (!flags.processor.empty()) return bench_by_processor(flags);
  std::vector<std::unique_ptr<leaf::engine::QueryEngine>> engines;
  for (const auto& name : flags.algorithms) engines.push_back(FROND_TRY(leaf::engine_named(name)));
  const auto searcher = FROND_TRY(PartitionSearcher::open(flags.from));
  const auto queries = FROND_TRY(chosen_queries(flags, *searcher));
  if (!flags.write_queries.empty()) FROND_TRY(write_terms(flags.write_queries, queries, searcher->query_form()));
  auto rows = nlohmann::ordered_json::array();
  if (!flags.json) {
    fmt::print("{}\n{} queries, best of {} rounds each\n", searcher->description(), queries.size(),
               flags.timing.rounds);
    fmt::print("{}", kHead);
  }
  for (const auto& mode : flags.modes)
    for (const std::uint32_t k : flags.ks)
      for (const auto& engine : engines) {
        auto options = flags.timing;
        options.mode = mode_named(mode);
        options.k = k;
        const auto timing = FROND_TRY(time_queries(*searcher, *engine, queries, options));
        if (flags.json)
          rows.push_back(as_json(engine->name(), mode, k, timing));
        else
          fmt::print("{}", line_of(engine->name(), mode, options, timing));
        std::fflush(stdout);
      }
  if (flags.json) {
    const nlohmann::ordered_json out{{"partition", searcher->description()},
                                     {"queries", queries.size()},
                                     {"mode", fmt::format("{}", fmt::join(flags.modes, " "))},
                                     {"threads", flags.timing.threads},
                                     {"rounds", flags.timing.rounds},
                                     {"rows", rows}};
    fmt::print("{}\n", out.dump());
  }
  return {};
}

std::string algorithm_names() {
  std::string names;
  for (const auto& entry : leaf::all_engines()) names.append(names.empty() ? "" : ", ").append(entry.name);
  return names;
}

}  // namespace

void add_bench_query(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchQueryFlags>();
  auto& command = bench_command.add_command(
      "query", "Queries on one partition in this process: CPU time a query, and queries a second");
  command.add_option("--repository", flags->from.repository, "The repository: a directory or URL").required();
  command.add_option("--collection", flags->from.collection, "Its collection").required();
  command.add_option("--partition", flags->from.partition, "The partition's number").show_default();
  command.add_option("--host-cache", flags->from.host_cache_bytes, "Bytes of a list cache as leaves have it; 0: none");
  command.add_option("--algorithm", flags->algorithms, "One or more of " + algorithm_names())
      .show_default()
      .group("Search");
  command
      .add_option(
          "--queries", flags->queries,
          "number:text, id<TAB>text, plain lines, or JSON lines {\"query\"}; of a collection of impacts texts are "
          "tokens, each as TOKEN^WEIGHT or TOKEN")
      .required();
  command.add_option("--tag", flags->tag, "Only JSON lines with this tag: union, intersection, …");
  add_choice(command, "--mode", flags->modes, {"and", "or", "auto"}, "Which documents match, one or more")
      .group("Search");
  command.add_option("--min-terms", flags->min_terms, "From 2 on: only queries of so many distinct terms, all known");
  command.add_option("--limit", flags->limit, "Only the first so many queries; 0: all");
  add_number(command, "--k", flags->ks, 1, 10'000, "Hits wanted, one or more").group("Search");
  add_bm25_flags(command, flags->from.k1, flags->from.b);
  add_number(command, "--hide", flags->from.hide, 0.0, 1.0,
             "The share of documents, drawn at random, that are passed over as if they were removed");
  add_number(command, "--priors", flags->from.priors, 0.0, scoring::kMaxPriorValue,
             "The highest of static priors made up for all documents, most of them small; 0: the collection's");
  add_number(
      command, "--facet", flags->from.facet_values, 0, 65'535,
      "Different values of a column made up for all documents, of which the GPU counts those of all matches; with "
      "--processor, also with --count; 0: none");
  add_number(
      command, "--sort", flags->from.sort_values, 0, 2'000'000'000,
      "Different values of a column made up for all documents, by which the GPU orders hits, the greatest first; "
      "with --processor, whose CPU engine ranks by score meanwhile; 0: by score");
  add_choice(command, "--sort-score", flags->sort_score, {"none", "first", "last"},
             "With --sort: first, hits are in the order of their scores before that of the column; last, behind it");
  add_choice(command, "--rank", flags->rank, {"score", "none"},
             "none: the first hits in the collection's order, and an exact total")
      .group("Search");
  command.add_flag("--count", flags->count, "Count the matches; --k and --rank do not matter").group("Search");
  command.add_option("--count-to", flags->timing.count_to, "Matches of AND are counted at least so far, and to k")
      .show_default();
  add_number(command, "--threads", flags->timing.threads, 1, 1024, "Threads that search").group("How");
  add_number(command, "--rounds", flags->timing.rounds, 1, 10'000, "A query's time is the best of so many")
      .group("How");
  command
      .add_option("--processor", flags->processor,
                  "The leaf's engines by the wall clock, lists at hand, instead of --algorithm: gpu, cpu, or both in "
                  "one run, with every answer compared")
      .check(config::one_of({"gpu", "cpu", "both"}))
      .group("How");
  add_number(command, "--batch", flags->batches, 1, 1'000'000, "Queries that the GPU is given in a call, one or more")
      .group("How");
  add_number(command, "--callers", flags->callers, 1, 1024, "Threads that call the GPU; --threads are the CPU's");
  add_number(command, "--seconds", flags->seconds, 0.0, 3600.0,
             "Of a round with --processor, at least; it ends with a whole pass");
  command.add_flag("--break-even", flags->break_even, "With both: also by postings a query").group("How");
  command.add_flag("--steps", flags->gpu.timed, "Also the steps of the GPU's batches, and their shares of the time");
  command.add_option("--gpu-device", flags->gpu.devices, "The number of the device, or several, as 0,1")
      .delimiter(',')
      .show_default();
  command.add_option("--gpu-memory", flags->gpu.memory_bytes, "Bytes of each to use: workspaces and lists")
      .transform(config::byte_size())
      .show_default()
      .group("How");
  command.add_flag("--gpu-no-buckets", flags->gpu_no_buckets,
                   "Counts look documents up in the blocks of hs-lrc lists, not by their buckets, for comparison");
  add_choice(command, "--gpu-sums", flags->gpu.sums, {"auto", "always", "never"},
             "Whether ORs are summed by tiles of documents, for comparison");
  command.add_option("--write-queries", flags->write_queries, "Also writes the queries' terms to this file");
  command.add_flag("--json", flags->json, "Print one JSON object").group("Output");
  command.on_chosen([flags, &status] {
    if (flags->count) flags->ks = {0};
    flags->gpu.by_bucket = !flags->gpu_no_buckets;
    using SortScore = PartitionChoice::SortScore;
    flags->from.sort_score = flags->sort_score == "first"  ? SortScore::kFirst
                             : flags->sort_score == "last" ? SortScore::kLast
                                                           : SortScore::kNone;
    flags->timing.ranked = !flags->count && flags->rank == "score";
    status = exit_status("bench query", bench_query(*flags));
  });
}

}  // namespace frond::tools::bench
