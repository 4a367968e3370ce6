#pragma once
// Builds that frond-papers measures: the first half of a build with a given number of parsers and of inverters
// on CPU and GPU, or the whole of it. Every build has a scratch folder, which is removed at its end.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "indexer/build/build.h"
#include "indexer/invert/inverter.h"

namespace frond::tools::papers {

struct IndexingSetup {
  std::vector<std::filesystem::path> inputs;
  text::AnalyzerConfig analyzer;
  std::uint64_t memory_limit = std::uint64_t{8} << 30;
  bool store_bodies = true;
  std::string cpu_dictionary{indexer::invert::kUsualCpuDictionary};  // of a kind of inverter
  indexer::invert::GpuMemory gpu{};                                  // of each inverter on a GPU
  const indexer::invert::InverterKind* gpu_kind = nullptr;           // null: no run may have inverters on a GPU
  std::filesystem::path scratch;                                     // an existing folder
};

// Threads that invert. Those of the CPU are numbered first.
struct InverterCounts {
  std::uint32_t cpu = 0, gpu = 0;
  std::uint32_t all() const { return cpu + gpu; }
};

// What an inverter's runs hold.
struct InverterWork {
  std::uint64_t tokens = 0, terms = 0, characters = 0;  // characters: bytes of the terms

  friend InverterWork operator+(const InverterWork& a, const InverterWork& b) {
    return {a.tokens + b.tokens, a.terms + b.terms, a.characters + b.characters};
  }
};

// What one inverter did. Times are seconds; those of instants since the pipeline began.
struct InverterRecord {
  std::string name;         // the inverter's, at its last flush; a GPU's is "cpu" if it was lost
  double indexing = 0;      // in invert(): dictionary and postings, and runs that make room
  double indexing_cpu = 0;  // processor time of that
  double flushing = 0;      // in flush(): terms sorted, runs written; with a GPU also waiting for it
  double last_batch = 0;    // when the last batch came: the parsers were done
  double end = 0;           // when the last run was written
  struct Point {
    std::uint64_t documents;  // of the collection, up to here
    double indexing;          // so far
  };
  std::vector<Point> points;  // after each batch: 16 bytes a MB of input, or a few
  std::vector<std::filesystem::path> runs;
};

// Inputs to runs: parsers and inverters at the same time, and nothing else of a build.
struct PipelineRun {
  std::uint32_t parsers = 0;
  InverterCounts inverters;  // none: tokens were dropped
  double seconds = 0;
  indexer::pipeline::InvertedDocuments inverted;  // its files are gone
  std::vector<InverterRecord> records;            // by inverter
  std::vector<InverterWork> work;                 // by inverter; empty if it was not counted

  double megabytes_a_second() const { return static_cast<double>(inverted.bytes) * 1e-6 / seconds; }
};
// What all inverters of the CPU, or of GPUs, had. The work was counted.
InverterWork work_of_cpus(const PipelineRun& run);
InverterWork work_of_gpus(const PipelineRun& run);
// Of inverters that should have a GPU, those in whose place the CPU went on.
std::uint32_t lost_gpus(const InverterCounts& inverters, std::span<const InverterRecord> records);

// `count_work`: reads the runs afterwards, which is not part of the time. kInvalid: the memory limit leaves no room for
// so many threads; and the errors of invert_documents().
Result<PipelineRun> run_pipeline(const IndexingSetup& setup, std::uint32_t parsers, InverterCounts inverters,
                                 bool count_work);

// A whole build, to a published generation.
struct BuildRun {
  std::uint32_t parsers = 0;
  InverterCounts inverters;
  indexer::BuildSummary summary;
  std::vector<InverterRecord> records;
  double processor_seconds = 0;  // of the process, from begin to end
};
// Errors as run_pipeline(), and those of build(). threads: bounds those that write.
Result<BuildRun> run_build(const IndexingSetup& setup, std::uint32_t parsers, InverterCounts inverters,
                           std::uint32_t threads);

}  // namespace frond::tools::papers
