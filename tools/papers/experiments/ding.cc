// Ding, He, Yan and Suel 2009: compression, intersection, ranked queries, scheduling.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "leaf/schedule/cost_model.h"
#include "tools/bench/schedule/schedule_figure.h"
#include "tools/bench/schedule/schedule_simulation.h"
#include "tools/papers/experiments/experiments.h"
#include "tools/papers/figures/figures.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

constexpr std::string_view kDingProfile = "gov2", kPForDelta[] = {"pfordelta1"};

std::string lists_described(const IntegerSet& set) {
  return fmt::format("{} lists of {} docIDs in all, made up after GOV2.", set.lists.size(),
                     grouped(static_cast<double>(set.integers())));
}

Cell millions(const Spread& g) { return Cell::known(1000 * g.median); }

}  // namespace

Result<Exhibit> ding_table_1(Workbench& bench) {
  constexpr std::string_view kCodecs[] = {"rice", "pfordelta1"};
  const IntegerSet& set = FROND_TRY(bench.lists(kDingProfile, synth::DocidOrder::kInput))->docids;
  Table table{.title = "Decompression, millions of integers a second",
              .columns = {{"codec"}, {"CPU: gaps", 0}, {"theirs", 2, true}},
              .rows = {}};
  const auto cpu = FROND_TRY(bench.codecs(set, kCodecs));
  for (const CodecTiming& timing : cpu) {
    const auto codec = timing.codec->name();
    table.rows.push_back(
        {std::string(codec), millions(timing.decode_gaps), theirs({"codecs", set.name, codec, "decode_g"}, 1000)});
  }
  if (bench.has_gpu()) {
    table.columns.insert(table.columns.end(), {{"GPU: docIDs", 0}, {"theirs", 2, true}});
    const auto gpu = FROND_TRY(bench.device_codecs(set, kCodecs));
    for (std::size_t i = 0; i < gpu.size(); ++i) {
      table.rows[i].push_back(millions(gpu[i].batch));
      table.rows[i].push_back(theirs({"device_codecs", set.name, gpu[i].codec->name(), "decode_g"}, 1000));
    }
  }
  return Exhibit{.tables = {table},
                 .plots = {},
                 .notes = {lists_described(set),
                           "PForDelta has one level of recursion. On the GPU, all lists are decoded in one launch."}};
}

Result<Exhibit> ding_figure_3(Workbench& bench) {
  constexpr std::string_view kCodecs[] = {"rice",       "pfd",        "pfordelta0", "pfordelta1",
                                          "pfordelta2", "pfordelta3", "pfordelta4"};
  const IntegerSet& set = FROND_TRY(bench.lists(kDingProfile, synth::DocidOrder::kInput))->docids;
  Plot plot{.title = "Bytes a docID", .x_title = "codec, levels of recursion", .y_title = "bytes"};
  Table table{.title = "Compressed size", .columns = {{"codec"}, {"bytes a docID", 3}}, .rows = {}};
  plot.series.push_back({.name = "ours"});
  const auto timings = FROND_TRY(bench.codecs(set, kCodecs));
  for (const CodecTiming& timing : timings) {
    plot.series[0].points.emplace_back(plot.categories.size(), timing.bits / 8);
    plot.categories.emplace_back(timing.codec->name());
    table.rows.push_back({std::string(timing.codec->name()), timing.bits / 8});
  }
  return Exhibit{
      .tables = {table},
      .plots = {plot},
      .notes = {lists_described(set), "pfd chooses a width for each block, as the second bar of the figure does."}};
}

Result<Exhibit> ding_figure_4(Workbench& bench) {
  const IntegerSet& all = FROND_TRY(bench.lists(kDingProfile, synth::DocidOrder::kInput))->docids;
  Plot plot{.title = "PForDelta by length of the list",
            .x_title = "docIDs of a list",
            .y_title = "millions of integers a second",
            .log_x = true,
            .log_y = true};
  plot.series = {{.name = "CPU: gaps"}, {.name = "CPU: docIDs"}};
  if (bench.has_gpu()) plot.series.insert(plot.series.end(), {{.name = "GPU: gaps"}, {.name = "GPU: docIDs"}});
  Table table{.title = "Lists of about a length",
              .columns = {{"docIDs"}, {"lists"}, {"CPU: gaps, M/s"}, {"CPU: docIDs, M/s"}},
              .rows = {}};
  if (bench.has_gpu()) table.columns.insert(table.columns.end(), {{"GPU: gaps, M/s"}, {"GPU: docIDs, M/s"}});
  for (unsigned power = 10; power < 26; ++power) {
    IntegerSet some{fmt::format("gov2 2^{}", power), all.kind, {}};
    std::copy_if(all.lists.begin(), all.lists.end(), std::back_inserter(some.lists),
                 [&](const auto& list) { return std::bit_width(list.size()) == power; });
    if (some.lists.empty()) continue;
    const double length = static_cast<double>(some.integers()) / static_cast<double>(some.lists.size());
    const auto cpu = FROND_TRY(bench.codecs(some, kPForDelta));
    std::vector<Cell> row{fmt::format("{} to {}", 1u << (power - 1), (1u << power) - 1), some.lists.size(),
                          millions(cpu[0].decode_gaps), millions(cpu[0].decode)};
    plot.series[0].points.emplace_back(length, 1000 * cpu[0].decode_gaps.median);
    plot.series[1].points.emplace_back(length, 1000 * cpu[0].decode.median);
    if (bench.has_gpu()) {
      const auto gpu = FROND_TRY(bench.device_codecs(some, kPForDelta));
      row.push_back(millions(gpu[0].row_gaps));
      row.push_back(millions(gpu[0].row));
      plot.series[2].points.emplace_back(length, 1000 * gpu[0].row_gaps.median);
      plot.series[3].points.emplace_back(length, 1000 * gpu[0].row.median);
    }
    table.rows.push_back(std::move(row));
  }
  return Exhibit{.tables = {table},
                 .plots = {plot},
                 .notes = {lists_described(all), "One level of recursion. On the GPU, a launch a list."}};
}

Result<Exhibit> ding_figure_6(Workbench& bench) {
  constexpr std::uint32_t kAlone[] = {1};
  Plot plot{.title = "Two lists of equal length",
            .x_title = "docIDs of a list",
            .y_title = "nanoseconds a docID of one list",
            .log_x = true,
            .log_y = true};
  Table table{.title = "Nanoseconds a docID of one list", .columns = {{"docIDs"}}, .rows = {}};
  constexpr unsigned kLevels = 5;
  for (unsigned levels = 0; levels < kLevels; ++levels) {
    const std::string name = levels == 0 ? "binary search" : fmt::format("{} levels", levels);
    plot.series.push_back({.name = name});
    table.columns.push_back({name, 2});
  }
  for (const std::uint32_t count : bench.sizes().pairs) {
    const IntersectionSet set = make_pair_set(count, bench.seed(), bench.threads());
    std::vector<Cell> row{count};
    for (unsigned levels = 0; levels < kLevels; ++levels) {
      const Method method = levels == 0 ? Method{Kind::kBinary, 0} : Method{Kind::kMergeFind, levels};
      const auto timings = FROND_TRY(bench.intersect_on_gpu(set, method, kAlone));
      const double nanoseconds = 1e9 / (timings[0].queries.median * set.computations_a_query());
      plot.series[levels].points.emplace_back(count, nanoseconds);
      row.push_back(nanoseconds);
    }
    table.rows.push_back(std::move(row));
  }
  const double below = *theirs({"ding_figure_6", "nanoseconds"}).number();
  plot.series.push_back(
      {.name = "theirs, 2 or 3 levels: below", .points = {{1e6, below}, {16e6, below}}, .paper = true});
  return Exhibit{.tables = {table},
                 .plots = {plot},
                 .notes = {"Every fourth document is in a list. The time has the answer's way to the host in it."}};
}

Result<Exhibit> ding_table_2(Workbench& bench) {
  const auto* searches = FROND_TRY(bench.searches());
  Table table{.title = "Milliseconds a query, 10 hits",
              .columns = {{"queries"}, {"CPU, one thread", 3}, {"theirs", 2, true}},
              .rows = {}};
  if (bench.has_gpu())
    table.columns.insert(table.columns.end(), {{"GPU, one query at a time", 3}, {"theirs", 2, true}});
  Table rates{.title = "Queries a second",
              .columns = {{"queries"}, {"processor"}, {"threads"}, {"batch"}, {"queries/s"}},
              .rows = {}};
  for (const BenchMode each : {BenchMode::kAnd, BenchMode::kOr, BenchMode::kAuto}) {
    const std::string mode = each == BenchMode::kAnd ? "AND" : each == BenchMode::kOr ? "OR" : "AND+OR";
    std::vector<Cell> row{mode, {}, theirs({"ding_table_2", name_of(each), "cpu_ms"})};
    if (bench.has_gpu()) row.insert(row.end(), {{}, theirs({"ding_table_2", name_of(each), "gpu_ms"})});
    for (const ProcessorRow& measured : searches->rows) {
      if (measured.mode != each) continue;
      if (measured.alone_us)
        row[measured.processor == "cpu" ? 1 : 3] = measured.alone_us->mean / 1000;
      else
        rates.rows.push_back({mode, std::string(measured.processor), measured.callers, measured.batch,
                              measured.queries_per_second.median});
    }
    table.rows.push_back(std::move(row));
  }
  return Exhibit{
      .tables = {table, rates},
      .plots = {},
      .notes = {fmt::format("{} queries of {} postings on {} documents with {} postings, made up after GOV2.",
                            searches->summary.queries, grouped(searches->summary.postings_a_query),
                            grouped(static_cast<double>(searches->documents)),
                            grouped(static_cast<double>(searches->postings))),
                "Our engine skips what cannot be among the ten hits. The paper's scores every document of OR.",
                "AND+OR: OR follows where AND has fewer than ten hits."}};
}

Result<Exhibit> ding_table_3(Workbench& bench) {
  const auto* searches = FROND_TRY(bench.searches());
  Table ours{.title = "Ours: steps of the GPU's batches of 64",
             .columns = {{"queries"}, {"step"}, {"% of the time", 1}},
             .rows = {}};
  for (const ProcessorRow& row : searches->rows)
    for (const auto& step : row.steps)
      ours.rows.push_back({std::string(name_of(row.mode)), std::string(step.name), step.percent});
  const Table paper{.title = "Theirs",
                    .columns = {{"queries"}, {"step"}, {"% of the time", 0, true}},
                    .rows = their_rows("ding_table_3")};
  return Exhibit{.tables = {ours, paper},
                 .plots = {},
                 .notes = {"One kernel decodes, intersects and scores: our step search has the paper's steps but the "
                           "last, select is its top-k. build, start and outcomes are the host's and the copies'."}};
}

Result<Exhibit> ding_figure_7(Workbench& bench) {
  constexpr double kDeadlineUs = 500'000;
  constexpr std::uint32_t kWorkers = 16, kStreams = 3;
  constexpr std::size_t kBatch = 512, kQueries = 10'000;
  const auto& model = leaf::schedule::default_cost_model();
  FigureOptions options{
      .simulation = {}, .arrivals = bench.sizes().arrivals, .points = bench.sizes().rates, .seed = bench.seed()};
  options.simulation = simulation_options(kWorkers, kStreams, kBatch, static_cast<double>(model.launch_us));
  options.simulation.scales = model.scales;
  const Figure figure = simulate_figure(synthetic_queries(kQueries, {}, bench.seed()), kDeadlineUs, options);
  Table table{
      .title = "Sustained without a miss",
      .columns = {{"configuration"}, {"queries/s"}, {"p99 at 80 % of it, ms", 2}, {"theirs, queries/s", 0, true}},
      .rows = {}};
  for (const FigureCurve& curve : figure.curves) {
    constexpr std::array<std::string_view, 4> kNames = {"GPU only", "CPU only", "the better, one at a time",
                                                        "both, scheduled"};
    const std::string name(kNames[static_cast<std::size_t>(curve.configuration)]);
    table.rows.push_back({name, curve.sustained, curve.p99_at_80_us / 1000, theirs({"ding_figure_7", name})});
  }
  return Exhibit{.tables = {table},
                 .plots = {plot_of(std::span(&figure, 1))},
                 .notes = {fmt::format(
                     "Simulated under a virtual clock with the leaf's own queues: {} threads, {} streams, batches "
                     "of up to {}. Costs of queries are made up after those measured on an H200, so this page's "
                     "machine does not matter.",
                     kWorkers, kStreams, kBatch)}};
}

}  // namespace frond::tools::papers
