// Wei and JaJa 2011: documents to an index. One run of measure_indexing() has all of it.
#include <fmt/format.h>

#include <string>

#include "tools/papers/experiments/experiments.h"
#include "tools/papers/figures/figures.h"
#include "tools/papers/index/indexing_results.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

std::string inverters_named(const InverterCounts& inverters) {
  const std::string cpus = fmt::format("{} on the CPU", inverters.cpu);
  return inverters.gpu > 0 ? fmt::format("{}, {} on the GPU", cpus, inverters.gpu) : cpus;
}

// What is said of every exhibit.
std::vector<std::string> notes_of(const IndexingResults& results) {
  const auto& in = results.builds.front().summary.inverted;
  std::vector<std::string> notes{fmt::format("{} documents, {:.0f} MB of text, made up after ClueWeb09.",
                                             grouped(static_cast<double>(in.documents)),
                                             static_cast<double>(in.bytes) * 1e-6)};
  if (!results.no_gpu.empty()) notes.push_back("No inverters on a GPU: " + results.no_gpu + ".");
  const auto lost = [&](const InverterCounts& inverters, std::span<const InverterRecord> records) {
    if (const auto count = lost_gpus(inverters, records); count > 0)
      notes.push_back(fmt::format("With {}, {} went on without the GPU.", inverters_named(inverters), count));
  };
  for (const PipelineRun& run : results.table_4) lost(run.inverters, run.records);
  for (const BuildRun& build : results.builds) lost(build.inverters, build.records);
  return notes;
}

}  // namespace

Result<Exhibit> wei_figure_10(Workbench& bench) {
  const IndexingResults& results = *FROND_TRY(bench.indexing());
  Plot plot{.title = "Parsers and inverters", .x_title = "parsers", .y_title = "MB of text a second"};
  Table table{.title = "MB of text a second",
              .columns = {{"parsers"}, {"inverters on the CPU"}, {"parsers alone", 1}},
              .rows = {}};
  plot.series.push_back({.name = "parsers alone"});
  for (const auto& column : results.figure_10.front().both) {
    const std::string name =
        column.gpu_inverters == 0 ? "no GPU" : fmt::format("{} inverters on the GPU", column.gpu_inverters);
    table.columns.push_back({name, 1});
    plot.series.push_back({.name = name});
  }
  for (const PipelineRate& rate : results.figure_10) {
    std::vector<Cell> row{rate.parsers, rate.inverters, rate.parsers_only.median};
    plot.series[0].points.emplace_back(rate.parsers, rate.parsers_only.median);
    for (std::size_t c = 0; c < rate.both.size(); ++c) {
      row.push_back(rate.both[c].rate.median);
      plot.series[c + 1].points.emplace_back(rate.parsers, rate.both[c].rate.median);
    }
    table.rows.push_back(std::move(row));
  }
  Exhibit exhibit{.tables = {table}, .plots = {}, .notes = notes_of(results)};
  if (results.figure_10.size() > 1) exhibit.plots.push_back(std::move(plot));
  exhibit.notes.push_back("The parsers alone store their documents, too.");
  return exhibit;
}

Result<Exhibit> wei_figure_11(Workbench& bench) {
  const IndexingResults& results = *FROND_TRY(bench.indexing());
  Plot plot{.title = "Inverters by position in the input",
            .x_title = "percent of the documents",
            .y_title = "MB of text a second while indexing"};
  for (const PipelineRun& run : results.table_4) {
    Series series{.name = inverters_named(run.inverters)};
    const auto rates = rates_by_position(run);
    for (std::size_t step = 0; step < rates.size(); ++step)
      if (rates[step] > 0) series.points.emplace_back(100.0 * (double(step) + 0.5) / double(kSteps), rates[step]);
    plot.series.push_back(std::move(series));
  }
  Exhibit exhibit{.tables = {}, .plots = {plot}, .notes = notes_of(results)};
  exhibit.notes.push_back("Our dictionaries are emptied with each run, the paper's grow to the end.");
  return exhibit;
}

Result<Exhibit> wei_table_4(Workbench& bench) {
  const IndexingResults& results = *FROND_TRY(bench.indexing());
  Table table{.title = "Seconds of the inverters",
              .columns = {{"whose"},
                          {"parsers"},
                          {"on the CPU"},
                          {"on the GPU"},
                          {"before", 2},
                          {"indexing", 2},
                          {"after", 2},
                          {"waiting", 2},
                          {"total", 2},
                          {"MB/s while indexing", 1},
                          {"MB/s", 1}},
              .rows = {}};
  for (const PipelineRun& run : results.table_4) {
    const InverterTimes times = inverter_times(run);
    table.rows.push_back({"ours",
                          run.parsers,
                          run.inverters.cpu,
                          run.inverters.gpu,
                          {},
                          times.indexing,
                          times.flushing,
                          times.waiting,
                          times.total,
                          megabytes_a_second(run.inverted.bytes, times.indexing),
                          megabytes_a_second(run.inverted.bytes, times.total)});
  }
  const auto paper = their_rows("wei_table_4");
  table.rows.insert(table.rows.end(), paper.begin(), paper.end());
  Exhibit exhibit{.tables = {table}, .plots = {}, .notes = notes_of(results)};
  exhibit.notes.push_back("after: terms sorted, runs written; on the GPU also waiting for it. We have no step before.");
  return exhibit;
}

Result<Exhibit> wei_table_5(Workbench& bench) {
  const IndexingResults& results = *FROND_TRY(bench.indexing());
  Table table{
      .title = "What the inverters had",
      .columns = {{"whose"}, {"inverters"}, {"tokens"}, {"%", 1}, {"terms"}, {"%", 1}, {"characters"}, {"%", 1}},
      .rows = {}};
  const auto add = [&](const std::string& name, const InverterWork& work, const InverterWork& all) {
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    };
    table.rows.push_back({"ours", name, work.tokens, share(work.tokens, all.tokens), work.terms,
                          share(work.terms, all.terms), work.characters, share(work.characters, all.characters)});
  };
  for (const PipelineRun& run : results.table_4) {
    if (run.inverters.cpu != kPaperInverters) continue;
    const InverterWork cpus = work_of_cpus(run), gpus = work_of_gpus(run);
    add(fmt::format("{} on the CPU", run.inverters.cpu), cpus, cpus + gpus);
    if (run.inverters.gpu > 0) add(fmt::format("{} on the GPU", run.inverters.gpu), gpus, cpus + gpus);
  }
  const auto paper = their_rows("wei_table_5");
  table.rows.insert(table.rows.end(), paper.begin(), paper.end());
  return Exhibit{.tables = {table}, .plots = {}, .notes = notes_of(results)};
}

Result<Exhibit> wei_table_6(Workbench& bench) {
  const IndexingResults& results = *FROND_TRY(bench.indexing());
  Table table{.title = "Seconds of a whole build",
              .columns = {{"whose"},
                          {"collection"},
                          {"text, GB", 2},
                          {"sampling", 2},
                          {"parsers", 2},
                          {"inverters", 2},
                          {"combine", 2},
                          {"write", 2},
                          {"total", 2},
                          {"MB/s", 1}},
              .rows = {}};
  Table stages{.title = "By stage", .columns = {{"inverters"}, {"stage"}, {"seconds", 2}, {"%", 1}}, .rows = {}};
  Table bytes{.title = "What each stage passed on", .columns = {{"inverters"}, {"stage"}, {"bytes"}}, .rows = {}};
  for (const BuildRun& build : results.builds) {
    const auto& summary = build.summary;
    table.rows.push_back({"ours",
                          fmt::format("{} parsers; {}", build.parsers, inverters_named(build.inverters)),
                          static_cast<double>(summary.inverted.bytes) * 1e-9,
                          {},
                          parsers_done(build),
                          inverters_done(build),
                          summary.write_seconds,
                          summary.publish_seconds,
                          summary.total_seconds,
                          megabytes_a_second(summary.inverted.bytes, summary.total_seconds)});
    for (const Stage& stage : wall_stages(build))
      stages.rows.push_back({inverters_named(build.inverters), stage.name, stage.seconds, 100 * stage.share});
    for (const Stage& stage : processor_stages(build))
      stages.rows.push_back(
          {inverters_named(build.inverters), "processor time: " + stage.name, stage.seconds, 100 * stage.share});
    for (std::size_t i = 0; i < build.records.size(); ++i)
      for (const auto& [what, seconds] :
           {std::pair{"indexing", build.records[i].indexing}, {"flushing", build.records[i].flushing}})
        stages.rows.push_back({inverters_named(build.inverters),
                               fmt::format("{} inverter {}: {}", build.records[i].name, i, what),
                               seconds,
                               {}});
    for (const auto& [name, count] : stage_bytes(build))
      bytes.rows.push_back({inverters_named(build.inverters), name, count});
  }
  const auto paper = their_rows("wei_table_6");
  table.rows.insert(table.rows.end(), paper.begin(), paper.end());
  Exhibit exhibit{.tables = {table, stages, bytes}, .plots = {}, .notes = notes_of(results)};
  exhibit.notes.push_back(
      "parsers, inverters: when the last of them was done. combine: runs are merged to lists and "
      "documents stored, which the paper does not do. write: publication.");
  return exhibit;
}

Result<Exhibit> wei_table_7(Workbench&) {
  const Platform here = Platform::here();
  Table table{.title = "Machines",
              .columns = {{"system"}, {"processors of a node"}, {"memory"}, {"nodes"}, {"cores"}, {"files"}},
              .rows = {}};
  table.rows.push_back({"this page", here.processor, fmt::format("{:.0f} GB", static_cast<double>(here.memory) * 1e-9),
                        1, here.cores, "local"});
  const auto paper = their_rows("wei_table_7");
  table.rows.insert(table.rows.end(), paper.begin(), paper.end());
  return Exhibit{.tables = {table}, .plots = {}, .notes = {}};
}

}  // namespace frond::tools::papers
