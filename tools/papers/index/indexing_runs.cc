#include "tools/papers/index/indexing_runs.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "common/base/check.h"
#include "indexer/pipeline/invert_documents.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/run_merger.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMaxBadRecords = 1000;  // as frond-indexer
constexpr std::size_t kPostingsAtATime = 1 << 16;

class Folder {
 public:
  static Result<std::unique_ptr<Folder>> create(const fs::path& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure) return Error(Code::kUnavailable, path.string() + ": " + failure.message());
    return std::make_unique<Folder>(path);
  }
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<indexer::pipeline::InvertOptions> invert_options(const IndexingSetup& setup, std::uint32_t parsers,
                                                        InverterCounts inverters) {
  FROND_CHECK(inverters.gpu == 0 || setup.gpu_inverter != nullptr);
  indexer::pipeline::InvertOptions options;
  options.inputs = setup.inputs;
  options.analyzer = setup.analyzer;
  options.max_bad_records = kMaxBadRecords;
  options.parse.store_bodies = setup.store_bodies;
  options.inverter = indexer::invert::inverter_with(setup.cpu_dictionary);
  if (options.inverter == nullptr)
    return Error(Code::kInvalid, "no inverter has the dictionary '" + setup.cpu_dictionary + "'");
  options.gpu_inverter = setup.gpu_inverter;
  options.gpu = setup.gpu;
  options.memory = indexer::pipeline::plan_memory(setup.memory_limit, parsers, inverters.cpu, 1, inverters.gpu);
  options.memory.spares = false;  // each inverter is measured, and its runs are its work
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
  const auto folder = FROND_TRY(Folder::create(setup.scratch / "pipeline"));
  run.records.resize(inverters.all());
  const auto begin = Clock::now();
  options.around_inverter = [&](std::unique_ptr<indexer::invert::Inverter> inverter, std::size_t number) {
    return inverters.all() == 0 ? no_inverter() : probed(std::move(inverter), run.records[number], begin);
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
  const auto folder = FROND_TRY(Folder::create(setup.scratch / "repository"));
  options.repository = folder->path();
  options.collection = "bench";
  options.threads = threads;
  options.resume = false;
  run.records.resize(inverters.all());
  const auto begin = Clock::now();
  const double cpu_begin = processor_seconds();
  options.invert.around_inverter = [&](std::unique_ptr<indexer::invert::Inverter> inverter, std::size_t number) {
    return probed(std::move(inverter), run.records[number], begin);
  };
  indexer::BuildProgress progress;
  Logger logger("bench", log_level(inverters));
  run.summary = FROND_TRY(indexer::build(options, progress, logger, {}));
  run.processor_seconds = processor_seconds() - cpu_begin;
  indexer::pipeline::release_unused_memory();
  return run;
}

}  // namespace frond::tools::papers
