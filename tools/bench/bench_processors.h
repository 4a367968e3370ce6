#pragma once
// The tables of `frond bench query --processor`. They compare ranked queries on GPU and CPU in one run with the figures
// of Ding et al. 2009 (Table 2), and show for which queries and batch sizes the GPU is faster.
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/bench_gpu.h"
#include "tools/bench/processor_timing.h"

namespace frond::tools::bench {

struct ProcessorBench {
  std::vector<BenchMode> modes;
  std::vector<std::uint32_t> ks{10};
  bool ranked = true;                // false: the k first documents, and the exact number of matches
  std::vector<std::size_t> batches;  // GPU: batch sizes; the CPU's threads take one query at a time
  std::uint32_t callers = 3;         // GPU: calling threads
  std::uint32_t threads = 1;         // CPU: threads
  std::uint32_t rounds = 3;
  double seconds = 1;       // min duration of a round
  bool break_even = false;  // also measure by postings per query
  bool steps = false;  // also print the steps of the GPU's batches (Ding 2009, Table 3); needs BenchGpuOptions::timed
  bool json = false;
};

// The engines to measure. One may be null, not both.
struct Processors {
  leaf::engine::QueryEngine* cpu = nullptr;
  BenchGpu* gpu = nullptr;
};

// Prints rows as they are measured. With a GPU, all lists are first copied to the device. With both, all hits are
// compared. Errors: kDevice if the lists do not fit on the device or the CPU answered a plan instead; kCorrupt if hits
// differ.
Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorBench& options, const Processors& processors);

std::string_view name_of(BenchMode mode);

}  // namespace frond::tools::bench
