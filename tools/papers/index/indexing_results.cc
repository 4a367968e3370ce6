#include "tools/papers/index/indexing_results.h"

#include <unistd.h>
#include <fstream>

#include <fmt/format.h>

#include "common/base/machine.h"
#include "tools/bench/measure.h"
#include "tools/synth/text/text_output.h"

namespace frond::tools::papers {
using namespace bench;
namespace {

std::vector<Stage> with_shares(std::vector<Stage> stages) {
  double sum = 0;
  for (const Stage& stage : stages) sum += stage.seconds;
  for (Stage& stage : stages) stage.share = sum > 0 ? stage.seconds / sum : 0;
  return stages;
}

}  // namespace

Platform Platform::here() {
  Platform platform;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; platform.processor.empty() && std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      platform.processor = line.substr(colon + 2);
  platform.cores = this_machine().cores;
  platform.memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return platform;
}

InverterTimes inverter_times(const PipelineRun& run) {
  InverterTimes times;
  for (const InverterRecord& record : run.records) {
    times.indexing_cpu += record.indexing_cpu;
    times.total = std::max(times.total, record.end);
    if (record.indexing + record.flushing < times.indexing + times.flushing) continue;
    times.indexing = record.indexing;
    times.flushing = record.flushing;
  }
  times.waiting = std::max(0.0, times.total - times.indexing - times.flushing);
  return times;
}

std::array<double, kSteps> rates_by_position(const PipelineRun& run) {
  std::array<double, kSteps> rates{};
  if (run.inverted.documents == 0) return rates;
  const double all = static_cast<double>(run.inverted.documents),
               bytes_a_document = static_cast<double>(run.inverted.bytes) / all;
  std::array<double, kSteps> slowest{}, documents{};
  for (const InverterRecord& record : run.records) {
    std::array<double, kSteps> spent{}, passed{};
    double done = 0, before = 0;
    for (const auto& point : record.points) {
      const auto reached = static_cast<double>(point.documents);
      const auto step = std::min(static_cast<std::size_t>((reached - 1) / all * kSteps), kSteps - 1);
      spent[step] += point.indexing - before;
      passed[step] += reached - done;
      before = point.indexing;
      done = reached;
    }
    for (std::size_t step = 0; step < kSteps; ++step) {
      slowest[step] = std::max(slowest[step], spent[step]);
      documents[step] = std::max(documents[step], passed[step]);
    }
  }
  for (std::size_t step = 0; step < kSteps; ++step)
    if (slowest[step] > 0) rates[step] = documents[step] * bytes_a_document * 1e-6 / slowest[step];
  return rates;
}

double megabytes_a_second(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) * 1e-6 / seconds : 0;
}

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

std::vector<Stage> wall_stages(const BuildRun& run) {
  const auto& summary = run.summary;
  return with_shares(
      {{"index", summary.invert_seconds}, {"write", summary.write_seconds}, {"publish", summary.publish_seconds}});
}

std::vector<Stage> processor_stages(const BuildRun& run) {
  const auto& in = run.summary.inverted;
  const double rest = run.processor_seconds - in.read_seconds - in.parse_seconds - in.sequence_seconds -
                      in.spool_seconds - in.invert_seconds;
  return with_shares({{"read", in.read_seconds},
                      {"parse", in.parse_seconds},
                      {"number", in.sequence_seconds},
                      {"spool", in.spool_seconds},
                      {"invert", in.invert_seconds},
                      {"write and publish", std::max(0.0, rest)}});
}

std::vector<StageBytes> stage_bytes(const BuildRun& run) {
  const auto& manifest = run.summary.manifest;
  std::uint64_t docids = 0, frequencies = 0, rest = 0, files = 0;
  for (const auto& entry : manifest.partitions) {
    docids += entry.summary.docid_bytes;
    frequencies += entry.summary.frequency_bytes;
    rest += entry.summary.index_bytes + entry.summary.bound_bytes + entry.summary.header_bytes;
    for (const auto& file : entry.summary.files) files += file.bytes;
  }
  return {{"input", manifest.input.bytes},
          {"text", run.summary.inverted.bytes},
          {"runs", run.summary.inverted.run_bytes},
          {"lists: docIDs", docids},
          {"lists: frequencies", frequencies},
          {"lists: index, bounds, headers", rest},
          {"generation", files}};
}

namespace {

// Makes the text that is indexed; returns its folder.
Result<std::filesystem::path> made_up(std::uint64_t bytes, std::uint32_t threads,
                                      const std::filesystem::path& scratch) {
  constexpr std::uint64_t kFileBytes = 1'000'000'000;
  const synth::TextOptions text{.profile = FROND_TRY(synth::text_profile_named("clueweb09")),
                                .threads = threads,
                                .output = {.path = scratch / "text",
                                           .suffix = synth::suffix_of(synth::Markup::kJsonLines),
                                           .file_bytes = kFileBytes,
                                           .max_bytes = bytes}};
  FROND_TRY(synth::make_text(text));
  return text.output.path;
}

// The numbers of inverters on the GPU that every row is measured with: none first.
std::vector<std::uint32_t> gpu_columns(const IndexingOptions& options) {
  std::vector<std::uint32_t> columns{0};
  if (!options.gpu_inverter) return columns;
  for (const std::uint32_t count : options.gpu_inverters)
    if (std::find(columns.begin(), columns.end(), count) == columns.end()) columns.push_back(count);
  return columns;
}

Result<PipelineRate> pipeline_rate(const IndexingSetup& setup, std::uint32_t parsers, std::uint32_t inverters,
                                   std::span<const std::uint32_t> gpu_columns, std::uint32_t rounds) {
  std::vector<double> parsers_only;
  std::vector<std::vector<double>> both(gpu_columns.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    parsers_only.push_back(FROND_TRY(run_pipeline(setup, parsers, {}, false)).megabytes_a_second());
    for (std::size_t i = 0; i < gpu_columns.size(); ++i)
      both[i].push_back(
          FROND_TRY(run_pipeline(setup, parsers, {inverters, gpu_columns[i]}, false)).megabytes_a_second());
  }
  PipelineRate rate{
      .parsers = parsers, .inverters = inverters, .both = {}, .parsers_only = spread_of(std::move(parsers_only))};
  for (std::size_t i = 0; i < gpu_columns.size(); ++i)
    rate.both.push_back({gpu_columns[i], spread_of(std::move(both[i]))});
  return rate;
}

}  // namespace

Result<IndexingResults> measure_indexing(const IndexingOptions& options) {
  if (options.inputs.empty() == (options.synth_bytes == 0))
    return Error(Code::kInvalid, "give either files to index or a size of made-up text");
  const std::uint32_t threads = std::max(options.threads, 2u);
  if (std::any_of(options.rows.begin(), options.rows.end(), [&](auto row) { return row == 0 || row >= threads; }))
    return Error(Code::kInvalid, "--figure-10: a row has a parser and an inverter at least, of --threads together");
  if (std::any_of(options.gpu_inverters.begin(), options.gpu_inverters.end(),
                  [](auto count) { return count > kMaxGpuInverters; }))
    return Error(Code::kInvalid, fmt::format("--gpu-inverters: at most {}", kMaxGpuInverters));
  const auto scratch = FROND_TRY(ScratchFolder::create());
  IndexingSetup setup = options;
  setup.gpu_kind = options.gpu_inverter.has_value() ? *options.gpu_inverter : nullptr;
  setup.scratch = scratch->path();
  if (options.synth_bytes != 0)
    setup.inputs = {FROND_TRY(made_up(options.synth_bytes, options.threads, scratch->path()))};
  IndexingResults results;
  results.platform = Platform::here();
  const auto columns = gpu_columns(options);
  if (columns.size() == 1)
    results.no_gpu = options.gpu_inverter ? "none was asked for" : options.gpu_inverter.error().message();
  std::vector<std::uint32_t> rows = options.rows;
  if (rows.empty())
    for (std::uint32_t parsers = 1; parsers < threads; ++parsers) rows.push_back(parsers);
  for (const std::uint32_t parsers : rows)
    results.figure_10.push_back(FROND_TRY(pipeline_rate(setup, parsers, threads - parsers, columns, options.rounds)));
  const std::uint32_t parsers =
      options.parsers != 0 ? options.parsers : std::max(options.threads, kPaperInverters + 1) - kPaperInverters;
  for (const std::uint32_t gpu_inverters : columns)
    for (std::uint32_t inverters = 1; inverters <= kPaperInverters; ++inverters)
      results.table_4.push_back(FROND_TRY(run_pipeline(setup, parsers, {inverters, gpu_inverters}, true)));
  for (const std::uint32_t gpu_inverters : columns)
    results.builds.push_back(FROND_TRY(run_build(setup, parsers, {kPaperInverters, gpu_inverters}, options.threads)));
  return results;
}

}  // namespace frond::tools::papers
