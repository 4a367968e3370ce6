#include "tools/papers/index/indexing.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/bench/scratch_folder.h"
#include "tools/synth/text/text_collection.h"

namespace frond::tools::papers {

using namespace bench;
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
