#pragma once
// Builds that `frond bench index` measures: the first half of a build with a given number of parsers and inverters, or
// the whole of it. Every build has a scratch folder, which is removed at its end.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "indexer/build.h"
#include "indexer/invert/inverters.h"
#include "tools/bench/inverter_probe.h"

namespace frond::tools::bench {

struct IndexingSetup {
  std::vector<std::filesystem::path> inputs;
  text::AnalyzerConfig analyzer;
  std::uint64_t memory_limit = 0;
  bool store_bodies = true;
  std::string cpu_dictionary{indexer::invert::kUsualCpuDictionary};  // of a kind of inverter
  std::filesystem::path scratch;                                     // an existing folder
};

// What an inverter's runs hold.
struct InverterWork {
  std::uint64_t tokens = 0, terms = 0, characters = 0;  // characters: bytes of the terms
};

// Inputs to runs: parsers and inverters at the same time, and nothing else of a build.
struct PipelineRun {
  std::uint32_t parsers = 0, inverters = 0;  // inverters 0: tokens were dropped
  double seconds = 0;
  indexer::pipeline::InvertedDocuments inverted;  // its files are gone
  std::vector<InverterRecord> records;            // by inverter
  std::vector<InverterWork> work;                 // by inverter; empty if it was not counted

  double megabytes_a_second() const { return static_cast<double>(inverted.bytes) * 1e-6 / seconds; }
};
// `count_work`: reads the runs afterwards, which is not part of the time. kInvalid: the memory limit leaves no room for
// so many threads; and the errors of invert_documents().
Result<PipelineRun> run_pipeline(const IndexingSetup& setup, std::uint32_t parsers, std::uint32_t inverters,
                                 bool count_work);

// A whole build, to a published generation.
struct BuildRun {
  std::uint32_t parsers = 0, inverters = 0;
  indexer::BuildSummary summary;
  std::vector<InverterRecord> records;
  double processor_seconds = 0;  // of the process, from begin to end
};
// Errors as run_pipeline(), and those of build(). threads: bounds those that write.
Result<BuildRun> run_build(const IndexingSetup& setup, std::uint32_t parsers, std::uint32_t inverters,
                           std::uint32_t threads);

}  // namespace frond::tools::bench
