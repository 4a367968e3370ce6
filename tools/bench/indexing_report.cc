#include "tools/bench/indexing_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

#include "tools/bench/bench_index.h"
#include "tools/bench/wei_figures.h"

namespace frond::tools::bench {
namespace {

std::string named(const InverterCounts& inverters) {
  const std::string cpus = fmt::format("{} CPU inverter{}", inverters.cpu, inverters.cpu == 1 ? "" : "s");
  return inverters.gpu == 0 ? cpus : cpus + fmt::format(", {} GPU", inverters.gpu);
}

// A warning behind a row whose GPU failed while it was measured.
std::string lost(const InverterCounts& inverters, std::span<const InverterRecord> records) {
  const std::uint32_t count = lost_gpus(inverters, records);
  return count == 0 ? "" : fmt::format("  {} of {} GPU inverters went on without the GPU", count, inverters.gpu);
}

void print_figures(const IndexingResults& results) {
  fmt::print("Figure 10: MB/s of text by parsers and inverters\n{:>8} {:>10}", "parsers", "inverters");
  if (!results.figure_10.empty())
    for (const auto& column : results.figure_10.front().both)
      fmt::print(" {:>20}", column.gpu_inverters == 0 ? "both" : fmt::format("both, {} GPU", column.gpu_inverters));
  fmt::print(" {:>20}\n", "parsers alone");
  for (const auto& row : results.figure_10) {
    fmt::print("{:>8} {:>10}", row.parsers, row.inverters);
    for (const auto& column : row.both) fmt::print(" {:>20}", shown(column.rate, 1));
    fmt::print(" {:>20}\n", shown(row.parsers_only, 1));
  }
  fmt::print("  {}\n\nFigure 11: MB/s of text of the inverters, by position in the input ({} parts)\n", kWeiFigure10,
             kSteps);
  for (const auto& run : results.table_4) {
    fmt::print("{:>22}:", named(run.inverters));
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
    fmt::print("{:>8} {:>4} {:>4} {:>10} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.1f} {:>10.1f}{}\n", run.parsers,
               run.inverters.cpu, run.inverters.gpu, "-", times.indexing, times.flushing, times.waiting, times.total,
               megabytes_a_second(run.inverted.bytes, times.indexing),
               megabytes_a_second(run.inverted.bytes, times.total), lost(run.inverters, run.records));
  }
  for (const auto& paper : wei_table_4())
    fmt::print("{:>8} {:>4} {:>4} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.2f} {:>10.2f}  paper\n", 6,
               paper.cpu_inverters, paper.gpu_inverters, paper.before, paper.indexing, paper.after,
               paper.total - paper.before - paper.indexing - paper.after, paper.total, paper.indexing_mb_per_second,
               paper.mb_per_second);
}

void print_work(std::string_view inverter, const InverterWork& work, const InverterWork& all,
                std::string_view after = "") {
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  fmt::print("{:>22} {:>16} {:>5.1f} % {:>14} {:>5.1f} % {:>16} {:>5.1f} %{}\n", inverter, work.tokens,
             share(work.tokens, all.tokens), work.terms, share(work.terms, all.terms), work.characters,
             share(work.characters, all.characters), after);
}

void print_table_5(const IndexingResults& results) {
  fmt::print("\nTable V: what the inverters had, and its share\n{:>22} {:>24} {:>22} {:>24}\n", "inverter", "tokens",
             "terms", "characters");
  for (const PipelineRun& run : results.table_4) {
    if (run.inverters.cpu != kPaperInverters) continue;
    const InverterWork cpus = work_of_cpus(run), gpus = work_of_gpus(run), all = cpus + gpus;
    for (std::size_t i = 0; i < run.work.size(); ++i) {
      const bool on_cpu = i < run.inverters.cpu;
      const auto number = on_cpu ? i : i - run.inverters.cpu;
      print_work(fmt::format("{} inverter {}", on_cpu ? "CPU" : "GPU", number), run.work[i], all);
    }
    if (run.inverters.gpu == 0) continue;
    print_work(fmt::format("{} CPU inverters", run.inverters.cpu), cpus, all);
    print_work(fmt::format("{} GPU inverter{}", run.inverters.gpu, run.inverters.gpu == 1 ? "" : "s"), gpus, all,
               lost(run.inverters, run.records));
  }
  InverterWork all;
  const auto work_of = [](const WeiWork& paper) { return InverterWork{paper.tokens, paper.terms, paper.characters}; };
  for (const WeiWork& paper : wei_table_5()) all = all + work_of(paper);
  for (const WeiWork& paper : wei_table_5()) print_work(paper.processor, work_of(paper), all, "  paper");
}

void print_table_6(const IndexingResults& results) {
  constexpr const char* kRow =
      "{:>38} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}{}\n";
  fmt::print("\nTable VI: seconds of a whole build\n{:>38} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
             "collection", "text GB", "sampling", "parsers", "inverters", "combine", "write", "total", "MB/s");
  for (const BuildRun& build : results.builds) {
    const auto& summary = build.summary;
    fmt::print(fmt::runtime(kRow), fmt::format("{} parsers, {}", build.parsers, named(build.inverters)),
               static_cast<double>(summary.inverted.bytes) * 1e-9, 0.0, parsers_done(build), inverters_done(build),
               summary.write_seconds, summary.publish_seconds, summary.total_seconds,
               megabytes_a_second(summary.inverted.bytes, summary.total_seconds), lost(build.inverters, build.records));
  }
  for (const auto& paper : wei_table_6())
    fmt::print(fmt::runtime(kRow), paper.collection, paper.text_gb, paper.sampling, paper.parsers, paper.inverters,
               paper.combine, paper.write, paper.total, paper.mb_per_second, "  paper");
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
  fmt::print("\nA whole build by stage: {} parsers, {}\n", build.parsers, named(build.inverters));
  for (const auto& [what, stages] :
       {std::pair{"seconds", wall_stages(build)}, {"processor seconds", processor_stages(build)}})
    for (const Stage& stage : stages)
      fmt::print("{:>34} {:>14.2f} {:>6.1f} %\n", fmt::format("{}: {}", what, stage.name), stage.seconds,
                 100 * stage.share);
  for (std::size_t i = 0; i < build.records.size(); ++i) {
    const InverterRecord& record = build.records[i];
    fmt::print("{:>34} {:>14.2f}, flushes {:.2f}, of {:.2f}; on the CPU {:.2f}\n",
               fmt::format("seconds: {} inverter {}", record.name, i), record.indexing, record.flushing, record.end,
               record.indexing_cpu);
  }
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
                       {"cpu_inverters", run.inverters.cpu},
                       {"gpu_inverters", run.inverters.gpu},
                       {"lost_gpus", lost_gpus(run.inverters, run.records)},
                       {"indexing_seconds", times.indexing},
                       {"after_seconds", times.flushing},
                       {"waiting_seconds", times.waiting},
                       {"total_seconds", times.total},
                       {"indexing_processor_seconds", times.indexing_cpu},
                       {"indexing_mb_per_second", megabytes_a_second(run.inverted.bytes, times.indexing)},
                       {"mb_per_second", megabytes_a_second(run.inverted.bytes, times.total)}});
    figure_11.push_back({{"cpu_inverters", run.inverters.cpu},
                         {"gpu_inverters", run.inverters.gpu},
                         {"mb_per_second", rates_by_position(run)}});
  }
  return table_4;
}

nlohmann::ordered_json work_as_json(const IndexingResults& results) {
  auto rows = nlohmann::ordered_json::array();
  for (const PipelineRun& run : results.table_4)
    for (std::size_t i = 0; i < run.work.size(); ++i)
      rows.push_back({{"cpu_inverters", run.inverters.cpu},
                      {"gpu_inverters", run.inverters.gpu},
                      {"inverter", i},
                      {"on_gpu", i >= run.inverters.cpu},
                      {"tokens", run.work[i].tokens},
                      {"terms", run.work[i].terms},
                      {"characters", run.work[i].characters}});
  return rows;
}

nlohmann::ordered_json build_as_json(const BuildRun& build) {
  const auto& summary = build.summary;
  return {{"parsers", build.parsers},
          {"cpu_inverters", build.inverters.cpu},
          {"gpu_inverters", build.inverters.gpu},
          {"lost_gpus", lost_gpus(build.inverters, build.records)},
          {"bytes", summary.inverted.bytes},
          {"parsers_seconds", parsers_done(build)},
          {"inverters_seconds", inverters_done(build)},
          {"combine_seconds", summary.write_seconds},
          {"write_seconds", summary.publish_seconds},
          {"total_seconds", summary.total_seconds},
          {"mb_per_second", megabytes_a_second(summary.inverted.bytes, summary.total_seconds)}};
}

nlohmann::ordered_json stages_as_json(const BuildRun& build) {
  auto bytes = nlohmann::ordered_json::array(), inverters = nlohmann::ordered_json::array();
  for (const auto& [name, size] : stage_bytes(build)) bytes.push_back({{"stage", name}, {"bytes", size}});
  for (const InverterRecord& record : build.records)
    inverters.push_back({{"name", record.name},
                         {"indexing_seconds", record.indexing},
                         {"indexing_processor_seconds", record.indexing_cpu},
                         {"after_seconds", record.flushing},
                         {"end_seconds", record.end}});
  return {{"cpu_inverters", build.inverters.cpu},
          {"gpu_inverters", build.inverters.gpu},
          {"seconds_by_stage", stages_as_json(wall_stages(build))},
          {"processor_seconds_by_stage", stages_as_json(processor_stages(build))},
          {"bytes_by_stage", bytes},
          {"inverters", inverters}};
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
                                {"text_gb", column.text_gb},
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
  if (!results.no_gpu.empty()) fmt::print("Rows with inverters on a GPU are left out: {}\n\n", results.no_gpu);
  print_figures(results);
  print_table_4(results);
  print_table_5(results);
  print_table_6(results);
  print_table_7(results);
  for (const BuildRun& build : results.builds) print_stages(build);
  std::fflush(stdout);
}

nlohmann::ordered_json indexing_as_json(const IndexingResults& results) {
  const auto& first = results.builds.front().summary;
  auto figure_10 = nlohmann::ordered_json::array(), figure_11 = nlohmann::ordered_json::array(),
       table_6 = nlohmann::ordered_json::array(), stages = nlohmann::ordered_json::array();
  for (const auto& row : results.figure_10)
    for (const auto& column : row.both)
      figure_10.push_back({{"parsers", row.parsers},
                           {"cpu_inverters", row.inverters},
                           {"gpu_inverters", column.gpu_inverters},
                           {"mb_per_second", as_json(column.rate)},
                           {"parsers_only_mb_per_second", as_json(row.parsers_only)}});
  const auto table_4 = pipelines_as_json(results, figure_11);
  for (const BuildRun& build : results.builds) {
    table_6.push_back(build_as_json(build));
    stages.push_back(stages_as_json(build));
  }
  return {{"documents", first.inverted.documents},
          {"bytes", first.inverted.bytes},
          {"tokens", first.inverted.tokens},
          {"terms", first.manifest.terms},
          {"no_gpu", results.no_gpu.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(results.no_gpu)},
          {"figure_10", figure_10},
          {"figure_11", figure_11},
          {"table_4", table_4},
          {"table_5", work_as_json(results)},
          {"table_6", table_6},
          {"table_7",
           {{"processor", results.platform.processor},
            {"cores", results.platform.cores},
            {"memory_bytes", results.platform.memory}}},
          {"stages", stages},
          {"paper", paper_as_json()}};
}

}  // namespace frond::tools::bench
