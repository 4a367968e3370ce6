#pragma once
// The builds of Wei and JaJa 2011: builds in this process, one after the other, in a scratch folder of the system's
// temporary directory (TMPDIR). It needs room for the runs, the stored documents and a generation, and for made-up
// text.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "tools/papers/index/indexing_results.h"

namespace frond::tools::papers {

inline constexpr std::uint32_t kPaperInverters = 2, kPaperGpuInverters = 2;  // of Tables IV to VI
inline constexpr std::uint32_t kMaxGpuInverters = 64;                        // as frond-indexer

struct IndexingOptions {
  std::vector<std::filesystem::path> inputs;  // or synth_bytes of made-up text, profile clueweb09
  std::uint64_t synth_bytes = 0;
  std::uint32_t threads = std::max(1u, std::thread::hardware_concurrency());  // Figure 10: parsers and inverters
  std::uint32_t parsers = 0;                                                  // of the tables; 0: two less than threads
  std::vector<std::uint32_t> rows;  // numbers of parsers in Figure 10; empty: 1 .. threads - 1
  std::uint32_t rounds = 1;         // of Figure 10
  // Numbers of inverters on the GPU, of which every run has one in turn, beside runs without; 0 adds nothing.
  std::vector<std::uint32_t> gpu_inverters = {1, kPaperGpuInverters};
  // Their kind, or why there is none: then runs with them are left out.
  Result<const indexer::invert::InverterKind*> gpu_inverter = Error(Code::kDevice, "no GPU was given");
  indexer::invert::GpuMemory gpu;
  std::uint64_t memory_limit = std::uint64_t{8} << 30;
  text::AnalyzerConfig analyzer;
  bool store_bodies = true;
  std::string cpu_dictionary{indexer::invert::kUsualCpuDictionary};
};
// kInvalid: both or no input, a memory limit too small for the threads, or a wrong number of threads; and the errors of
// builds.
Result<IndexingResults> measure_indexing(const IndexingOptions& options);

}  // namespace frond::tools::papers
