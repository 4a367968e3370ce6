#include "tools/bench/indexing_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

#include "tools/bench/wei_figures.h"

namespace frond::tools::bench {
namespace {

double megabytes_a_second(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) * 1e-6 / seconds : 0;
}

// When the last batch came to the inverters, and when the last run was written.
double parsers_done(const BuildRun& run) {
  double last = 0;
  for (const auto& record : run.records) last = std::max(last, record.last_batch);
  return last;
}
double inverters_done(const BuildRun& run) {
  double last = 0;
  for (const auto& record : run.records) last = std::max(last, record.end);
  return last;
}

void print_figures(const IndexingResults& results) {
  fmt::print("Figure 10: MB/s of text by parsers and inverters\n{:>8} {:>10} {:>20} {:>20}\n", "parsers", "inverters",
             "both", "parsers alone");
  for (const auto& row : results.figure_10)
    fmt::print("{:>8} {:>10} {:>20} {:>20}\n", row.parsers, row.inverters, shown(row.both, 1),
               shown(row.parsers_only, 1));
  fmt::print("  {}\n\nFigure 11: MB/s of text of the inverters, by position in the input ({} parts)\n", kWeiFigure10,
             kSteps);
  for (const auto& run : results.table_4) {
    fmt::print("{:>3} CPU inverter{}:", run.inverters, run.inverters == 1 ? " " : "s");
    for (const double rate : rates_by_position(run)) fmt::print(" {:.0f}", rate);
    fmt::print("\n");
  }
  fmt::print("  {}\n", kWeiFigure11);
}

void print_table_4(const IndexingResults& results) {
  fmt::print(
      "\nTable IV: seconds of the inverters\n{:>8} {:>4} {:>4} {:>10} {:>10} {:>10} {:>10} {:>10} {:>14} {:>10}\n",
      "parsers", "CPU", "GPU", "before", "indexing", "after", "waiting", "total", "indexing MB/s", "MB/s");
  for (const auto& run : results.table_4) {
    const InverterTimes times = inverter_times(run);
    fmt::print("{:>8} {:>4} {:>4} {:>10} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.1f} {:>10.1f}\n", run.parsers,
               run.inverters, 0, "-", times.indexing, times.flushing, times.waiting, times.total,
               megabytes_a_second(run.inverted.bytes, times.indexing),
               megabytes_a_second(run.inverted.bytes, times.total));
  }
  for (const auto& paper : wei_table_4())
    fmt::print("{:>8} {:>4} {:>4} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.2f} {:>10.2f}  paper\n", 6,
               paper.cpu_inverters, paper.gpu_inverters, paper.before, paper.indexing, paper.after,
               paper.total - paper.before - paper.indexing - paper.after, paper.total, paper.indexing_mb_per_second,
               paper.mb_per_second);
}

void print_table_5(const IndexingResults& results) {
  fmt::print("\nTable V: what the inverters had\n{:>22} {:>16} {:>14} {:>16}\n", "inverter", "tokens", "terms",
             "characters");
  const PipelineRun& run = results.table_4.back();
  for (std::size_t i = 0; i < run.work.size(); ++i)
    fmt::print("{:>22} {:>16} {:>14} {:>16}\n", fmt::format("CPU inverter {}", i), run.work[i].tokens,
               run.work[i].terms, run.work[i].characters);
  for (const auto& paper : wei_table_5())
    fmt::print("{:>22} {:>16} {:>14} {:>16}  paper\n", paper.processor, paper.tokens, paper.terms, paper.characters);
}

void print_table_6(const IndexingResults& results) {
  const BuildRun& build = results.build;
  const auto& summary = build.summary;
  constexpr const char* kRow = "{:>24} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}{}\n";
  fmt::print("\nTable VI: seconds of a whole build\n{:>24} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
             "collection", "sampling", "parsers", "inverters", "combine", "write", "total", "MB/s");
  fmt::print(fmt::runtime(kRow), fmt::format("{} parsers, {} inverters", build.parsers, build.inverters), 0.0,
             parsers_done(build), inverters_done(build), summary.write_seconds, summary.publish_seconds,
             summary.total_seconds, megabytes_a_second(summary.inverted.bytes, summary.total_seconds), "");
  for (const auto& paper : wei_table_6())
    fmt::print(fmt::runtime(kRow), paper.collection, paper.sampling, paper.parsers, paper.inverters, paper.combine,
               paper.write, paper.total, paper.mb_per_second, "  paper");
  fmt::print(
      "  ours: the first batch is the sample; parsers and inverters end at these times; combine: runs merged to lists, "
      "documents stored; write: published\n");
}

void print_table_7(const IndexingResults& results) {
  fmt::print("\nTable VII: machines\n  this one: {}, {} cores, {:.0f} GB\n", results.platform.processor,
             results.platform.cores, static_cast<double>(results.platform.memory) * 1e-9);
  for (const auto& paper : wei_table_7())
    fmt::print("  {}: {} node{} of {}, {}; {} cores; file system {}\n", paper.system, paper.nodes,
               paper.nodes == 1 ? "" : "s", paper.processors, paper.memory, paper.cores, paper.file_system);
}

void print_stages(const BuildRun& build) {
  fmt::print("\nA whole build by stage\n");
  for (const auto& [what, stages] :
       {std::pair{"seconds", wall_stages(build)}, {"processor seconds", processor_stages(build)}})
    for (const Stage& stage : stages)
      fmt::print("{:>34} {:>14.2f} {:>6.1f} %\n", fmt::format("{}: {}", what, stage.name), stage.seconds,
                 100 * stage.share);
  for (const auto& [name, bytes] : stage_bytes(build)) fmt::print("{:>34} {:>14}\n", "bytes: " + name, bytes);
}

nlohmann::ordered_json stages_as_json(const std::vector<Stage>& stages) {
  auto rows = nlohmann::ordered_json::array();
  for (const Stage& stage : stages)
    rows.push_back({{"stage", stage.name}, {"seconds", stage.seconds}, {"share", stage.share}});
  return rows;
}

nlohmann::ordered_json pipelines_as_json(const IndexingResults& results, nlohmann::ordered_json& figure_11) {
  auto table_4 = nlohmann::ordered_json::array();
  for (const auto& run : results.table_4) {
    const InverterTimes times = inverter_times(run);
    table_4.push_back({{"parsers", run.parsers},
                       {"cpu_inverters", run.inverters},
                       {"indexing_seconds", times.indexing},
                       {"after_seconds", times.flushing},
                       {"waiting_seconds", times.waiting},
                       {"total_seconds", times.total},
                       {"indexing_processor_seconds", times.indexing_cpu},
                       {"indexing_mb_per_second", megabytes_a_second(run.inverted.bytes, times.indexing)},
                       {"mb_per_second", megabytes_a_second(run.inverted.bytes, times.total)}});
    figure_11.push_back({{"cpu_inverters", run.inverters}, {"mb_per_second", rates_by_position(run)}});
  }
  return table_4;
}

nlohmann::ordered_json paper_as_json() {
  nlohmann::ordered_json paper{{"source", "Wei 2011"}, {"figure_10", kWeiFigure10}, {"figure_11", kWeiFigure11}};
  for (const auto& column : wei_table_4())
    paper["table_4"].push_back({{"parsers", 6},
                                {"cpu_inverters", column.cpu_inverters},
                                {"gpu_inverters", column.gpu_inverters},
                                {"before_seconds", column.before},
                                {"indexing_seconds", column.indexing},
                                {"after_seconds", column.after},
                                {"total_seconds", column.total},
                                {"indexing_mb_per_second", column.indexing_mb_per_second},
                                {"mb_per_second", column.mb_per_second}});
  for (const auto& column : wei_table_5())
    paper["table_5"].push_back({{"inverter", column.processor},
                                {"tokens", column.tokens},
                                {"terms", column.terms},
                                {"characters", column.characters}});
  for (const auto& column : wei_table_6())
    paper["table_6"].push_back({{"collection", column.collection},
                                {"sampling_seconds", column.sampling},
                                {"parsers_seconds", column.parsers},
                                {"inverters_seconds", column.inverters},
                                {"combine_seconds", column.combine},
                                {"write_seconds", column.write},
                                {"total_seconds", column.total},
                                {"mb_per_second", column.mb_per_second}});
  for (const auto& column : wei_table_7())
    paper["table_7"].push_back({{"system", column.system},
                                {"processors", column.processors},
                                {"memory", column.memory},
                                {"nodes", column.nodes},
                                {"cores", column.cores},
                                {"file_system", column.file_system}});
  return paper;
}

}  // namespace

void print_indexing(const IndexingResults& results) {
  print_figures(results);
  print_table_4(results);
  print_table_5(results);
  print_table_6(results);
  print_table_7(results);
  print_stages(results.build);
  std::fflush(stdout);
}

nlohmann::ordered_json indexing_as_json(const IndexingResults& results) {
  const BuildRun& build = results.build;
  const auto& summary = build.summary;
  auto figure_10 = nlohmann::ordered_json::array(), figure_11 = nlohmann::ordered_json::array(),
       table_5 = nlohmann::ordered_json::array(), bytes = nlohmann::ordered_json::array();
  for (const auto& row : results.figure_10)
    figure_10.push_back({{"parsers", row.parsers},
                         {"cpu_inverters", row.inverters},
                         {"mb_per_second", as_json(row.both)},
                         {"parsers_only_mb_per_second", as_json(row.parsers_only)}});
  const auto table_4 = pipelines_as_json(results, figure_11);
  for (const InverterWork& work : results.table_4.back().work)
    table_5.push_back({{"tokens", work.tokens}, {"terms", work.terms}, {"characters", work.characters}});
  for (const auto& [name, size] : stage_bytes(build)) bytes.push_back({{"stage", name}, {"bytes", size}});
  return {{"documents", summary.inverted.documents},
          {"bytes", summary.inverted.bytes},
          {"tokens", summary.inverted.tokens},
          {"terms", summary.manifest.terms},
          {"figure_10", figure_10},
          {"figure_11", figure_11},
          {"table_4", table_4},
          {"table_5", table_5},
          {"table_6",
           {{"parsers", build.parsers},
            {"cpu_inverters", build.inverters},
            {"parsers_seconds", parsers_done(build)},
            {"inverters_seconds", inverters_done(build)},
            {"combine_seconds", summary.write_seconds},
            {"write_seconds", summary.publish_seconds},
            {"total_seconds", summary.total_seconds},
            {"mb_per_second", megabytes_a_second(summary.inverted.bytes, summary.total_seconds)}}},
          {"table_7",
           {{"processor", results.platform.processor},
            {"cores", results.platform.cores},
            {"memory_bytes", results.platform.memory}}},
          {"seconds_by_stage", stages_as_json(wall_stages(build))},
          {"processor_seconds_by_stage", stages_as_json(processor_stages(build))},
          {"bytes_by_stage", bytes},
          {"paper", paper_as_json()}};
}

}  // namespace frond::tools::bench
