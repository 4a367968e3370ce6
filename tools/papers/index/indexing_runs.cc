#include "tools/papers/index/indexing_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/check.h"
#include "indexer/pipeline/invert_documents.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/run_merger.h"
#include "tools/bench/measure.h"

namespace frond::tools::papers {
using namespace bench;
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using indexer::invert::DocumentNumber, indexer::invert::Inverter, indexer::invert::kDropped;

constexpr std::uint64_t kMaxBadRecords = 1000;  // as frond-indexer
constexpr std::size_t kPostingsAtATime = 1 << 16;

// Measures an inverter from outside: passes everything to it and notes times in the record, which outlives the build.
class Probe final : public Inverter {
 public:
  Probe(std::unique_ptr<Inverter> inverter, InverterRecord& record, Clock::time_point begin)
      : inverter_(std::move(inverter)), record_(record), begin_(begin) {}

  std::string_view name() const override { return inverter_->name(); }
  std::uint64_t memory_bytes() const override { return inverter_->memory_bytes(); }

  Result<void> invert(const indexer::parse::TokenGroups& tokens, std::span<const indexer::parse::TokenGroup> groups,
                      std::span<const DocumentNumber> numbers) override {
    record_.last_batch = seconds_since(begin_);
    const auto start = Clock::now();
    const std::uint64_t cpu = thread_nanoseconds();
    FROND_TRY(inverter_->invert(tokens, groups, numbers));
    record_.indexing_cpu += 1e-9 * static_cast<double>(thread_nanoseconds() - cpu);
    record_.indexing += seconds_since(start);
    const auto last = std::find_if(numbers.rbegin(), numbers.rend(), [](auto number) { return number != kDropped; });
    if (last != numbers.rend()) record_.points.push_back({*last + 1, record_.indexing});
    return {};
  }

  Result<std::vector<indexer::runs::RunFile>> flush() override {
    const auto start = Clock::now();
    auto runs = FROND_TRY(inverter_->flush());
    record_.flushing += seconds_since(start);
    record_.end = seconds_since(begin_);
    record_.name = inverter_->name();
    for (const auto& run : runs) record_.runs.push_back(run.path);
    return runs;
  }

 private:
  const std::unique_ptr<Inverter> inverter_;
  InverterRecord& record_;
  const Clock::time_point begin_;
};

// Takes tokens and forgets them: the parsers alone are measured. Gives no run.
class NoInverter final : public Inverter {
 public:
  std::string_view name() const override { return "none"; }
  std::uint64_t memory_bytes() const override { return 0; }
  Result<void> invert(const indexer::parse::TokenGroups&, std::span<const indexer::parse::TokenGroup>,
                      std::span<const DocumentNumber>) override {
    return {};
  }
  Result<std::vector<indexer::runs::RunFile>> flush() override { return std::vector<indexer::runs::RunFile>{}; }
};

Result<indexer::pipeline::InvertOptions> invert_options(const IndexingSetup& setup, std::uint32_t parsers,
                                                        InverterCounts inverters) {
  FROND_CHECK(inverters.gpu == 0 || setup.gpu_kind != nullptr);
  indexer::pipeline::InvertOptions options;
  options.inputs = setup.inputs;
  options.analyzer = setup.analyzer;
  options.max_bad_records = kMaxBadRecords;
  options.parse.store_bodies = setup.store_bodies;
  options.inverter = indexer::invert::inverter_with(setup.cpu_dictionary);
  if (options.inverter == nullptr)
    return Error(Code::kInvalid, "no inverter has the dictionary '" + setup.cpu_dictionary + "'");
  options.gpu_inverter = setup.gpu_kind;
  options.gpu = setup.gpu;
  options.memory = indexer::pipeline::plan_memory(setup.memory_limit, parsers, inverters.cpu, 1, inverters.gpu);
  if (options.memory.parsers != parsers || options.memory.inverters != inverters.cpu)
    return Error(Code::kInvalid, fmt::format("--memory-limit has no room for {} parsers and {} inverters, only for {} "
                                             "and {}",
                                             parsers, inverters.cpu, options.memory.parsers, options.memory.inverters));
  return options;
}

Result<InverterWork> work_of(const InverterRecord& record, const fs::path& folder) {
  InverterWork work;
  const auto runs = FROND_TRY(indexer::runs::reduce_runs(record.runs, 0, folder));
  auto merger = FROND_TRY(indexer::runs::RunMerger::open(runs, 0));
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(merger.next_term())) {
    ++work.terms;
    work.characters += merger.term().size();
    do {
      docids.clear();
      frequencies.clear();
      FROND_TRY(merger.read(docids, frequencies, kPostingsAtATime));
      for (const Frequency frequency : frequencies) work.tokens += frequency;
    } while (!docids.empty());
  }
  return work;
}

// A GPU that is lost is a warning; without GPUs only bad records and duplicates are, which are no matter here.
LogLevel log_level(const InverterCounts& inverters) { return inverters.gpu > 0 ? LogLevel::kWarn : LogLevel::kError; }

InverterWork sum_of(std::span<const InverterWork> parts) {
  InverterWork sum;
  for (const InverterWork& part : parts) sum = sum + part;
  return sum;
}

}  // namespace

InverterWork work_of_cpus(const PipelineRun& run) { return sum_of(std::span(run.work).first(run.inverters.cpu)); }
InverterWork work_of_gpus(const PipelineRun& run) { return sum_of(std::span(run.work).subspan(run.inverters.cpu)); }

std::uint32_t lost_gpus(const InverterCounts& inverters, std::span<const InverterRecord> records) {
  const auto of_gpus = records.subspan(inverters.cpu);
  return static_cast<std::uint32_t>(
      std::count_if(of_gpus.begin(), of_gpus.end(), [](const auto& record) { return record.name != "gpu"; }));
}

Result<PipelineRun> run_pipeline(const IndexingSetup& setup, std::uint32_t parsers, InverterCounts inverters,
                                 bool count_work) {
  PipelineRun run{.parsers = parsers, .inverters = inverters, .inverted = {}, .records = {}, .work = {}};
  auto options = FROND_TRY(invert_options(setup, parsers, {std::max(inverters.cpu, 1u), inverters.gpu}));
  const auto folder = FROND_TRY(ScratchFolder::create(setup.scratch));
  run.records.resize(inverters.all());
  const auto begin = Clock::now();
  options.around_inverter = [&](std::unique_ptr<Inverter> inverter, std::size_t number) {
    if (inverters.all() == 0) return std::unique_ptr<Inverter>(std::make_unique<NoInverter>());
    return std::unique_ptr<Inverter>(std::make_unique<Probe>(std::move(inverter), run.records[number], begin));
  };
  indexer::pipeline::InvertProgress progress;
  Logger logger("bench", log_level(inverters));
  run.inverted = FROND_TRY(indexer::pipeline::invert_documents(options, folder->path(), progress, logger, {}));
  run.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (count_work)
    for (const auto& record : run.records) run.work.push_back(FROND_TRY(work_of(record, folder->path())));
  indexer::pipeline::release_unused_memory();
  return run;
}

Result<BuildRun> run_build(const IndexingSetup& setup, std::uint32_t parsers, InverterCounts inverters,
                           std::uint32_t threads) {
  BuildRun run{.parsers = parsers, .inverters = inverters, .summary = {}, .records = {}};
  indexer::BuildOptions options;
  options.invert = FROND_TRY(invert_options(setup, parsers, inverters));
  const auto folder = FROND_TRY(ScratchFolder::create(setup.scratch));
  options.repository = folder->path();
  options.collection = "bench";
  options.threads = threads;
  options.resume = false;
  run.records.resize(inverters.all());
  const auto begin = Clock::now();
  const double cpu_begin = indexer::pipeline::process_seconds();
  options.invert.around_inverter = [&](std::unique_ptr<Inverter> inverter, std::size_t number) {
    return std::make_unique<Probe>(std::move(inverter), run.records[number], begin);
  };
  indexer::BuildProgress progress;
  Logger logger("bench", log_level(inverters));
  run.summary = FROND_TRY(indexer::build(options, progress, logger, {}));
  run.processor_seconds = indexer::pipeline::process_seconds() - cpu_begin;
  indexer::pipeline::release_unused_memory();
  return run;
}

}  // namespace frond::tools::papers
