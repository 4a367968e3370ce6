// frond bench index: how fast documents become an index, beside Wei and JaJa 2011.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "common/config/command_line.h"
#include "indexer/gpu_inverters.h"
#include "tools/bench/bench_index.h"
#include "tools/bench/commands.h"
#include "tools/bench/indexing_report.h"
#include "tools/bench/scratch_folder.h"
#include "tools/commands.h"
#include "tools/synth/text_collection.h"

namespace frond::tools::bench {
namespace {

struct BenchIndexFlags {
  BenchIndexOptions options;
  std::string stemmer = "porter", store_bodies = "on";
  bool json = false;
};

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
std::vector<std::uint32_t> gpu_columns(const BenchIndexOptions& options) {
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

Result<void> bench_index(const BenchIndexFlags& flags) {
  BenchIndexOptions options = flags.options;
  options.analyzer.stemmer = *text::stemmer_named(flags.stemmer);
  options.store_bodies = flags.store_bodies == "on";
  options.gpu_inverter = indexer::gpu_inverters(options.gpu.device);
  const auto results = FROND_TRY(measure_indexing(options));
  if (flags.json)
    fmt::print("{}\n", indexing_as_json(results).dump());
  else
    print_indexing(results);
  return {};
}

}  // namespace

Result<IndexingResults> measure_indexing(const BenchIndexOptions& options) {
  if (options.inputs.empty() == (options.synth_bytes == 0))
    return Error(Code::kInvalid, "give either --input or --synth");
  const std::uint32_t threads = std::max(options.threads, 2u);
  if (std::any_of(options.rows.begin(), options.rows.end(), [&](auto row) { return row == 0 || row >= threads; }))
    return Error(Code::kInvalid, "--figure-10: a row has a parser and an inverter at least, of --threads together");
  if (std::any_of(options.gpu_inverters.begin(), options.gpu_inverters.end(),
                  [](auto count) { return count > kMaxGpuInverters; }))
    return Error(Code::kInvalid, fmt::format("--gpu-inverters: at most {}", kMaxGpuInverters));
  const auto scratch = FROND_TRY(ScratchFolder::create());
  IndexingSetup setup{.inputs = options.inputs,
                      .analyzer = options.analyzer,
                      .memory_limit = options.memory_limit,
                      .store_bodies = options.store_bodies,
                      .cpu_dictionary = options.cpu_dictionary,
                      .gpu_inverter = options.gpu_inverter.has_value() ? *options.gpu_inverter : nullptr,
                      .gpu = options.gpu,
                      .scratch = scratch->path()};
  if (options.synth_bytes != 0)
    setup.inputs = {FROND_TRY(made_up(options.synth_bytes, options.threads, scratch->path()))};
  IndexingResults results;
  results.platform = Platform::here();
  const auto gpu_columns = bench::gpu_columns(options);
  if (gpu_columns.size() == 1)
    results.no_gpu = options.gpu_inverter ? "none was asked for" : options.gpu_inverter.error().message();
  std::vector<std::uint32_t> rows = options.rows;
  if (rows.empty())
    for (std::uint32_t parsers = 1; parsers < threads; ++parsers) rows.push_back(parsers);
  for (const std::uint32_t parsers : rows)
    results.figure_10.push_back(
        FROND_TRY(pipeline_rate(setup, parsers, threads - parsers, gpu_columns, options.rounds)));
  const std::uint32_t parsers =
      options.parsers != 0 ? options.parsers : std::max(options.threads, kPaperInverters + 1) - kPaperInverters;
  for (const std::uint32_t gpu_inverters : gpu_columns)
    for (std::uint32_t inverters = 1; inverters <= kPaperInverters; ++inverters)
      results.table_4.push_back(FROND_TRY(run_pipeline(setup, parsers, {inverters, gpu_inverters}, true)));
  for (const std::uint32_t gpu_inverters : gpu_columns)
    results.builds.push_back(FROND_TRY(run_build(setup, parsers, {kPaperInverters, gpu_inverters}, options.threads)));
  return results;
}

void add_bench_index(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchIndexFlags>();
  auto& command = bench_command.add_command(
      "index", "Builds an index with different numbers of threads, beside Wei 2011: Figures 10, 11, Tables IV to VII");
  command.add_option("--input", flags->options.inputs, "Files and folders, as frond-indexer build --input");
  command.add_option("--synth", flags->options.synth_bytes, "Instead: so much made-up text, as frond synth --text")
      .transform(config::byte_size());
  command.add_option("--threads", flags->options.threads, "Figure 10: parsers and inverters together")
      .check(config::range(1, 256))
      .show_default("one for each core");
  command.add_option("--figure-10", flags->options.rows, "Numbers of parsers of its rows, instead of all");
  command.add_option("--parsers", flags->options.parsers, "Tables IV to VI: parsers; 0: two less than --threads")
      .check(config::range(0, 256))
      .show_default();
  command.add_option("--rounds", flags->options.rounds, "Figure 10: rounds, of which the median counts")
      .check(config::range(1, 100))
      .show_default();
  command
      .add_option("--gpu-inverters", flags->options.gpu_inverters,
                  "Inverters on the GPU beside those on CPUs: numbers, each with rows of its own; 0: none")
      .show_default(std::to_string(kPaperGpuInverters));
  command.add_option("--gpu-device", flags->options.gpu.device, "The GPU that all of these use").show_default();
  command.add_option("--gpu-memory", flags->options.gpu.bytes, "Memory of the GPU for each of these")
      .transform(config::byte_size())
      .show_default("2GiB");
  command.add_option("--memory-limit", flags->options.memory_limit, "Of every build, as frond-indexer build")
      .transform(config::byte_size())
      .show_default("4GiB");
  command.add_option("--stemmer", flags->stemmer, "As frond-indexer build")
      .check(config::one_of({"porter", "english", "none"}))
      .show_default();
  command.add_option("--cpu-dictionary", flags->options.cpu_dictionary, "As frond-indexer build")
      .check(config::one_of({"hash", "btree"}))
      .show_default();
  command.add_option("--store-bodies", flags->store_bodies, "As frond-indexer build")
      .check(config::one_of({"on", "off"}))
      .show_default();
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] { status = exit_status("bench index", bench_index(*flags)); });
}

}  // namespace frond::tools::bench
