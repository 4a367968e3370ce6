// Ao et al. 2011: linearity, compression, intersection in batches.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "tools/papers/experiments/experiments.h"
#include "tools/papers/figures/figures.h"
#include "tools/papers/intersect/intersection_set.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

using synth::DocidOrder;

constexpr DocidOrder kOrders[] = {DocidOrder::kInput, DocidOrder::kRandom};
constexpr std::string_view name_of_gov(DocidOrder order) { return order == DocidOrder::kInput ? "GOV" : "GOVR"; }
constexpr std::string_view kAoCodecs[] = {"pfd", "newpfd", "parapfor", "lrc", "lrcseg", "seglrc", "hs-lrc"};
constexpr const char* kAllLists =
    "Ours are lists of queries, most of them long; the paper has all lists of the collection.";
// The paper has it, and no method of ours: our encoder chooses the share of exceptions.
constexpr const char *kWithoutExceptions = "ParaPFD (theirs: no exceptions)",
                     *kNoExceptions = "parapfor, no exceptions";
constexpr std::uint32_t kThreshold = 1u << 20;  // "1M"

constexpr Method kPlain[] = {{Kind::kBinary, 0},
                             {Kind::kLinearRegression, 0},
                             {Kind::kHashSegmentation, 32},
                             {Kind::kHashSegmentation, 16},
                             {Kind::kInterpolation, 0}};
// Blocks that are decoded, those of the engine's codec (Ding 2009, §8.1).
constexpr Method kBlocks[] = {{Kind::kBlocks, 0}, {Kind::kBlocks, 1}};
constexpr Method kCompressed[] = {
    {Kind::kParaPFor, 0}, {Kind::kLrc, 0}, {Kind::kLrcSeg, 0}, {Kind::kSegLrc, 0}, {Kind::kHsLrc, 0}};

// As the paper calls it.
std::string title_of(Method method) {
  switch (method.kind) {
    case Kind::kBinary:
      return "BS, binary search";
    case Kind::kLinearRegression:
      return "LR, linear regression";
    case Kind::kInterpolation:
      return "IS, interpolation";
    case Kind::kHashSegmentation:
      return fmt::format("HS{}, hash segmentation", method.parameter);
    case Kind::kParaPFor:
      return "ParaPFD (theirs: 0.2 exceptions)";
    case Kind::kBlocks:
      return method.parameter == 0 ? "simd-bp128, blocks selected (Ding 2009)" : "simd-bp128, with a table of ranges";
    case Kind::kLrc:
      return "LRC";
    case Kind::kLrcSeg:
      return "LRCSeg";
    case Kind::kSegLrc:
      return "SegLRC";
    case Kind::kHsLrc:
      return "HS256_LRC";
    default:
      return name_of(method);
  }
}

std::string set_described(const IntersectionSet& set) {
  return fmt::format("{}: {} documents, {} queries of {} docIDs, made up after GOV.", set.name, grouped(set.documents),
                     set.queries.size(), grouped(set.postings_a_query()));
}

double ratio(double bits) { return bits > 0 ? 32 / bits : 0; }

}  // namespace

Result<Exhibit> ao_table_1(Workbench& bench) {
  Exhibit exhibit;
  for (const DocidOrder order : kOrders) {
    const IntersectionSet& set = *FROND_TRY(bench.gov(order));
    Table table{.title = fmt::format("{}: safe search range and fit of regression lines", name_of_gov(order)),
                .columns = {{"docIDs of a list"},
                            {"lists"},
                            {"contraction ratio", 4},
                            {"theirs", 4, true},
                            {"R²", 4},
                            {"theirs", 4, true}},
                .rows = {}};
    for (const LinearityOfLists& some : linearity_of(set, bench.threads())) {
      const std::string length = std::to_string(some.begin);
      table.rows.push_back({fmt::format("{} to {}", some.begin, some.end), some.lists, some.contraction,
                            theirs({"linearity", set.name, length, "contraction"}), some.r_squared,
                            theirs({"linearity", set.name, length, "r_squared"})});
    }
    exhibit.tables.push_back(std::move(table));
    exhibit.notes.push_back(set_described(set));
  }
  exhibit.notes.push_back("GOV here has documents in input order, GOVR in random order.");
  return exhibit;
}

Result<Exhibit> ao_table_2(Workbench& bench) {
  Table table{.title = "Ratio to 32 bits a docID", .columns = {{"lists"}}, .rows = {}};
  for (const std::string_view codec : kAoCodecs)
    table.columns.insert(table.columns.end(), {{std::string(codec), 2}, {"theirs", 2, true}});
  Exhibit exhibit;
  for (const std::string_view profile : {"gov", "gov2"})
    for (const DocidOrder order : kOrders) {
      const IntegerSet& set = FROND_TRY(bench.lists(profile, order))->docids;
      const std::string name =
          fmt::format("{}{}", profile == "gov" ? "GOV" : "GOV2", order == DocidOrder::kInput ? "" : "R");
      std::vector<Cell> row{name};
      const auto timings = FROND_TRY(bench.codecs(set, kAoCodecs));
      for (const CodecTiming& timing : timings) {
        row.push_back(ratio(timing.bits));
        row.push_back(theirs({"codecs", set.name, timing.codec->name(), "ratio"}));
      }
      table.rows.push_back(std::move(row));
      exhibit.notes.push_back(fmt::format("{}: {} docIDs in {} lists.", name,
                                          grouped(static_cast<double>(set.integers())), set.lists.size()));
    }
  exhibit.tables.push_back(std::move(table));
  exhibit.notes.push_back(kAllLists);
  exhibit.notes.push_back("Our encoders choose the share of exceptions themselves; the lines have none.");
  return exhibit;
}

Result<Exhibit> ao_table_3(Workbench& bench) {
  Exhibit exhibit;
  Table table{.title = "Times the speed of a thread of the CPU's engine", .columns = {{"method"}}, .rows = {}};
  std::vector<Method> methods(std::begin(kPlain), std::end(kPlain));
  methods.insert(methods.end(), std::begin(kCompressed), std::end(kCompressed));
  methods.insert(methods.end(), std::begin(kBlocks), std::end(kBlocks));
  if (!bench.has_gpu()) std::erase_if(methods, [](Method method) { return !needs_no_kernel(method); });
  for (const Method method : methods) table.rows.push_back({title_of(method)});
  if (bench.has_gpu()) table.rows.push_back({kWithoutExceptions});
  const std::string processor = bench.has_gpu() ? "GPU" : fmt::format("{} CPU threads", bench.threads());
  for (const DocidOrder order : kOrders) {
    const IntersectionSet& set = *FROND_TRY(bench.gov(order));
    const double engine = FROND_TRY(bench.intersect_by_engine(set, 1)).queries.median;
    table.columns.insert(table.columns.end(),
                         {{fmt::format("{}, {}", name_of_gov(order), processor), 2}, {"theirs, GPU", 2, true}});
    for (std::size_t m = 0; m < methods.size(); ++m) {
      double rate = 0;
      if (bench.has_gpu())
        rate = FROND_TRY(bench.intersect_on_gpu(set, methods[m], std::span(&kThreshold, 1)))[0].queries.median;
      else
        rate = FROND_TRY(bench.intersect_on_cpu(set, methods[m])).queries.median;
      table.rows[m].push_back(rate / engine);
      table.rows[m].push_back(theirs({"intersections", set.name, name_of(methods[m]), "speedup"}));
    }
    if (bench.has_gpu()) {
      table.rows.back().push_back({});
      table.rows.back().push_back(theirs({"intersections", set.name, kNoExceptions, "speedup"}));
    }
    exhibit.notes.push_back(fmt::format("{} The engine answers {:.0f} queries a second.", set_described(set), engine));
  }
  exhibit.tables.push_back(std::move(table));
  exhibit.notes.push_back(
      "Ours is relative to our engine's AND on one thread, which also scores; theirs to their skip lists on one core "
      "of a "
      "Phenom II X4 945.");
  if (!bench.has_gpu())
    exhibit.notes.push_back(
        "There is no GPU here: the same searches run on the CPU, a query a thread. They are made for "
        "a GPU, and ParaPFD's blocks are decoded only there.");
  return exhibit;
}

Result<Exhibit> ao_table_7(Workbench& bench) {
  Exhibit exhibit;
  const std::string processor = bench.has_gpu() ? "GPU" : fmt::format("{} CPU threads", bench.threads());
  for (const DocidOrder order : kOrders) {
    const IntersectionSet& set = *FROND_TRY(bench.gov(order));
    Table table{.title = fmt::format("{}: compressed lists", name_of_gov(order)),
                .columns = {{"method"},
                            {processor + ", queries/s"},
                            {"theirs, GPU", 0, true},
                            {bench.has_gpu() ? "ms a batch" : "ms a query", 3},
                            {"theirs, a batch", 2, true},
                            {"index, MB", 1}},
                .rows = {}};
    for (const Method method : kCompressed) {
      const auto row_of = [&](const std::string& title, std::string_view name) -> std::vector<Cell> {
        return {title,
                {},
                theirs({"intersections", set.name, name, "queries_per_second"}),
                {},
                theirs({"intersections", set.name, name, "response_ms"}),
                {}};
      };
      std::vector<Cell> row = row_of(title_of(method), name_of(method));
      if (bench.has_gpu() || needs_no_kernel(method)) {
        IntersectionTiming timing;
        if (bench.has_gpu())
          timing = FROND_TRY(bench.intersect_on_gpu(set, method, std::span(&kThreshold, 1)))[0];
        else
          timing = FROND_TRY(bench.intersect_on_cpu(set, method));
        row[1] = timing.queries.median;
        row[3] = timing.response_ms;
        row[5] = static_cast<double>(timing.index_bytes) * 1e-6;
      }
      table.rows.push_back(std::move(row));
      if (method.kind == Kind::kParaPFor) table.rows.push_back(row_of(kWithoutExceptions, kNoExceptions));
    }
    exhibit.tables.push_back(std::move(table));
    exhibit.notes.push_back(set_described(set));
  }
  exhibit.notes.push_back(
      "Batches of 2^20 computations on a GPU. Of ParaPFD, our encoder chooses the share of exceptions.");
  if (!bench.has_gpu())
    exhibit.notes.push_back(
        "There is no GPU here: the CPU runs a query a thread, and ParaPFD's blocks are decoded only "
        "on a GPU.");
  return exhibit;
}

namespace {

// Figures 5 and 6: one value of a timing by threshold.
Result<Exhibit> by_threshold(Workbench& bench, const std::string& title, const std::string& y_title, bool log_y,
                             double (*value)(const IntersectionTiming&), int digits) {
  const IntersectionSet& set = *FROND_TRY(bench.gov(DocidOrder::kInput));
  Plot plot{.title = title, .x_title = "computations a batch", .y_title = y_title, .log_x = true, .log_y = log_y};
  Table table{.title = title + ": " + y_title, .columns = {{"computations a batch"}}, .rows = {}};
  for (const std::uint32_t threshold : bench.sizes().thresholds) table.rows.push_back({threshold});
  for (const Method method : kPlain) {
    const auto timings = FROND_TRY(bench.intersect_on_gpu(set, method, bench.sizes().thresholds));
    Series series{.name = title_of(method)};
    table.columns.push_back({title_of(method), digits});
    for (std::size_t t = 0; t < timings.size(); ++t) {
      series.points.emplace_back(timings[t].threshold, value(timings[t]));
      table.rows[t].push_back(value(timings[t]));
    }
    plot.series.push_back(std::move(series));
  }
  return Exhibit{.tables = {table}, .plots = {plot}, .notes = {set_described(set), "Uncompressed lists on the GPU."}};
}

}  // namespace

Result<Exhibit> ao_figure_5(Workbench& bench) {
  auto exhibit = FROND_TRY(by_threshold(
      bench, "Throughput on GOV", "queries a second", false, [](const auto& timing) { return timing.queries.median; },
      0));
  const double best = *theirs({"intersections", "gov/input", "hash-segmentation:16", "queries_per_second"}).number();
  exhibit.plots[0].series.push_back({.name = "theirs, HS16", .points = {{kThreshold, best}}, .paper = true});
  return exhibit;
}

Result<Exhibit> ao_figure_6(Workbench& bench) {
  return by_threshold(
      bench, "Response time on GOV", "milliseconds a batch", true,
      [](const auto& timing) { return timing.response_ms; }, 3);
}

Result<Exhibit> ao_figure_7(Workbench& bench) {
  const IntegerSet& set = FROND_TRY(bench.lists("gov", DocidOrder::kInput))->docids;
  Plot plot{.title = "Compression ratio on GOV", .x_title = "codec", .y_title = "ratio to 32 bits"};
  plot.series = {{.name = "ours"}, {.name = "theirs, at the best share of exceptions", .paper = true}};
  const auto timings = FROND_TRY(bench.codecs(set, kAoCodecs));
  for (const CodecTiming& timing : timings) {
    const auto category = static_cast<double>(plot.categories.size());
    const Cell paper = theirs({"codecs", set.name, timing.codec->name(), "ratio"});
    plot.categories.emplace_back(timing.codec->name());
    plot.series[0].points.emplace_back(category, ratio(timing.bits));
    if (paper.number()) plot.series[1].points.emplace_back(category, *paper.number());
  }
  return Exhibit{
      .tables = {},
      .plots = {plot},
      .notes = {"The paper's figure varies the share of exceptions. Our encoders choose what is smallest, and "
                "the lines of LRC have no exceptions, so there is one ratio a codec; theirs are Table 2's.",
                kAllLists}};
}

Result<Exhibit> ao_figure_8(Workbench& bench) {
  const IntersectionSet& gov = *FROND_TRY(bench.gov(DocidOrder::kInput));
  IntegerSet shortest{"gov shortest", codec::Numbers::kDocIds, {}};
  std::set<std::uint32_t> chosen;
  for (std::size_t q = 0; q < gov.queries.size(); ++q) {
    const auto lists = gov.queries[q];
    chosen.insert(*std::min_element(lists.begin(), lists.end(),
                                    [&](auto a, auto b) { return gov.lists[a].size() < gov.lists[b].size(); }));
  }
  for (const std::uint32_t list : chosen)
    if (gov.lists[list].size() >= codec::kBlockLength) shortest.lists.push_back(gov.lists[list]);
  if (shortest.lists.empty()) return Error(Code::kInvalid, "no query's shortest list has a block");
  Plot plot{.title = "Decoding the queries' shortest lists on GOV",
            .x_title = "codec",
            .y_title = "millions of integers a second",
            .log_y = true};
  Table table{.title = "Millions of integers a second", .columns = {{"codec"}, {"CPU, one thread"}}, .rows = {}};
  plot.series.push_back({.name = "CPU, one thread"});
  const auto cpu = FROND_TRY(bench.codecs(shortest, kAoCodecs));
  for (const CodecTiming& timing : cpu) {
    plot.series[0].points.emplace_back(plot.categories.size(), 1000 * timing.decode.median);
    plot.categories.emplace_back(timing.codec->name());
    table.rows.push_back({std::string(timing.codec->name()), 1000 * timing.decode.median});
  }
  if (bench.has_gpu()) {
    table.columns.push_back({"GPU, all lists in a launch"});
    plot.series.push_back({.name = "GPU, all lists in a launch"});
    const auto gpu = FROND_TRY(bench.device_codecs(shortest, kAoCodecs));
    for (std::size_t c = 0; c < gpu.size(); ++c) {
      plot.series[1].points.emplace_back(c, 1000 * gpu[c].batch.median);
      table.rows[c].push_back(1000 * gpu[c].batch.median);
    }
  }
  return Exhibit{.tables = {table},
                 .plots = {plot},
                 .notes = {fmt::format("{} lists, {} docIDs.", shortest.lists.size(),
                                       grouped(static_cast<double>(shortest.integers())))}};
}

Result<Exhibit> ao_figure_9(Workbench& bench) {
  constexpr Method kMethods[] = {{Kind::kHashSegmentation, 16}, {Kind::kHsLrc, 0}};
  const IntersectionSet& set = *FROND_TRY(bench.gov(DocidOrder::kInput));
  Plot plot{.title = "Speedup by threads of the CPU", .x_title = "threads", .y_title = "times one thread"};
  Table table{.title = "Queries a second", .columns = {{"threads"}}, .rows = {}};
  std::vector<unsigned> counts;
  for (unsigned threads = 1; threads < bench.threads(); threads *= 2) counts.push_back(threads);
  counts.push_back(bench.threads());
  for (const unsigned threads : counts) table.rows.push_back({threads});
  for (const Method method : kMethods) {
    Series series{.name = title_of(method)};
    table.columns.push_back({title_of(method)});
    double first = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const double rate = FROND_TRY(bench.intersect_on_cpu(set, method, counts[t])).queries.median;
      if (t == 0) first = rate;
      series.points.emplace_back(counts[t], rate / first);
      table.rows[t].push_back(rate);
    }
    plot.series.push_back(std::move(series));
  }
  return Exhibit{
      .tables = {table},
      .plots = {plot},
      .notes = {set_described(set),
                "The paper disables multiprocessors in the GPU's firmware, which nobody can do here: threads "
                "of the CPU stand for them. Its second part, the GPU's share of the time, is not measured: "
                "our batches overlap with the host's work, so there is no such share of one batch."}};
}

}  // namespace frond::tools::papers
