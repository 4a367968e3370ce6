#pragma once
// What frond-papers has measured, and the rows of Wei and JaJa's tables that follow from it.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/machine.h"
#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "tools/bench/measure.h"
#include "tools/papers/index/indexing_runs.h"

namespace frond::tools::papers {

// This machine.
struct Platform {
  std::string processor;  // its model; empty if the system does not say
  std::uint32_t cores = 1;
  std::uint64_t memory = 0;  // bytes

  static Platform here();
};

// MB/s of text with so many parsers and inverters on CPUs, and with the parsers alone.
struct PipelineRate {
  struct Both {
    std::uint32_t gpu_inverters = 0;
    bench::Spread rate;
  };
  std::uint32_t parsers = 0, inverters = 0;
  std::vector<Both> both;  // without a GPU, then with as many inverters on it as were asked for
  bench::Spread parsers_only;
};

struct IndexingResults {
  Platform platform;
  std::string no_gpu;  // why no run had inverters on a GPU; empty if some had
  std::vector<PipelineRate> figure_10;
  std::vector<PipelineRun> table_4;  // with 1 and 2 inverters on CPUs, without a GPU and with it; their work is counted
  std::vector<BuildRun> builds;      // without a GPU, then with it
};

// A column of Table IV. The inverter that was busy for longest stands for all.
struct InverterTimes {
  double indexing = 0, flushing = 0;  // flushing: the paper's post-processing
  double waiting = 0;                 // for parsers
  double total = 0;                   // from the first record to the last run; the sum of the three
  double indexing_cpu = 0;            // processor time of indexing, of all inverters
};
InverterTimes inverter_times(const PipelineRun& run);

// Figure 11: MB/s of text of the inverters while they were indexing, for each of kSteps equal parts of the documents.
// 0 where no batch ended in the part.
inline constexpr std::size_t kSteps = 20;
std::array<double, kSteps> rates_by_position(const PipelineRun& run);

double megabytes_a_second(std::uint64_t bytes, double seconds);  // 0 for no time
// Seconds from the begin: when the last batch came to the inverters, and when the last run was written.
double parsers_done(const BuildRun& run);
double inverters_done(const BuildRun& run);

struct Stage {
  std::string name;
  double seconds = 0, share = 0;  // shares of all stages sum to 1
};
// Wall time of a whole build: index (parsers and inverters together), write, publish.
std::vector<Stage> wall_stages(const BuildRun& run);
// Processor time: read, parse, number, invert, and the rest, which is writing and publishing.
std::vector<Stage> processor_stages(const BuildRun& run);

struct StageBytes {
  std::string name;
  std::uint64_t bytes = 0;
};
// What each stage passed on: input as stored, text, runs, and the generation's lists and files.
std::vector<StageBytes> stage_bytes(const BuildRun& run);

// The builds of Wei and JaJa 2011: builds in this process, one after the other, in a scratch folder of the system's
// temporary directory (TMPDIR). It needs room for the runs, the stored documents and a generation, and for made-up
// text.
inline constexpr std::uint32_t kPaperInverters = 2, kPaperGpuInverters = 2;  // of Tables IV to VI
inline constexpr std::uint32_t kMaxGpuInverters = 64;                        // as frond-indexer

// The inputs, or synth_bytes of made-up text, profile clueweb09.
struct IndexingOptions : IndexingSetup {
  std::uint64_t synth_bytes = 0;
  std::uint32_t threads = this_machine().cores;  // Figure 10: parsers and inverters
  std::uint32_t parsers = 0;                     // of the tables; 0: two less than threads
  std::vector<std::uint32_t> rows;               // numbers of parsers in Figure 10; empty: 1 .. threads - 1
  std::uint32_t rounds = 1;                      // of Figure 10
  // Numbers of inverters on the GPU, of which every run has one in turn, beside runs without; 0 adds nothing.
  std::vector<std::uint32_t> gpu_inverters = {1, kPaperGpuInverters};
  // Their kind, or why there is none: then runs with them are left out.
  Result<const indexer::invert::InverterKind*> gpu_inverter = Error(Code::kDevice, "no GPU was given");
};
// kInvalid: both or no input, a memory limit too small for the threads, or a wrong number of threads; and the errors of
// builds.
Result<IndexingResults> measure_indexing(const IndexingOptions& options);

}  // namespace frond::tools::papers
