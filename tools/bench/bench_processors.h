#pragma once
// The tables of `frond bench query --processor`: ranked queries on GPU and CPU in one run, beside the figures of Ding
// et al. 2009 (Table 2), and for which queries and batch sizes the GPU is faster.
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/bench_gpu.h"
#include "tools/bench/processor_timing.h"

namespace frond::tools::bench {

struct ProcessorBench {
  std::vector<BenchMode> modes;
  std::vector<std::uint32_t> ks{10};
  std::vector<std::size_t> batches;  // of the GPU; the CPU's threads take a query each
  std::uint32_t callers = 3;         // of the GPU
  std::uint32_t threads = 1;         // of the CPU
  std::uint32_t rounds = 3;
  double seconds = 1;       // of a round, at least
  bool break_even = false;  // also measure by postings a query
  bool steps = false;  // also the steps of the GPU's batches, beside Ding 2009, Table 3; needs BenchGpuOptions::timed
  bool json = false;
};

// The engines to measure. One may be null, not both.
struct Processors {
  leaf::engine::QueryEngine* cpu = nullptr;
  BenchGpu* gpu = nullptr;
};

// Prints as it goes. With a GPU, all lists are first copied to the device; with both, every answer is compared. Errors:
// kDevice if lists do not fit there or a plan was answered by the CPU instead; kCorrupt if hits differ.
Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorBench& options, const Processors& processors);

std::string_view name_of(BenchMode mode);

}  // namespace frond::tools::bench
