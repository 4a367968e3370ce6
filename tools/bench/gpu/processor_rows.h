#pragma once
// Measures ranked queries on GPU and CPU in one run, as rows, for `frond bench query --processor` and
// frond-papers: Ding et al. 2009, Tables 2 and 3, and for which queries and batch sizes the GPU is faster.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/gpu/bench_gpu.h"
#include "tools/bench/query/query_timing.h"

namespace frond::tools::bench {

std::string_view name_of(BenchMode mode);

struct ProcessorOptions {
  std::vector<BenchMode> modes;
  std::vector<std::uint32_t> ks{10};
  bool ranked = true;                // false: the k first documents, and the exact number of matches
  std::vector<std::size_t> batches;  // GPU: batch sizes; the CPU's threads take one query at a time
  std::uint32_t callers = 3;         // GPU: calling threads
  std::uint32_t threads = 1;         // CPU: threads
  std::uint32_t rounds = 3;
  double seconds = 1;       // min duration of a round
  bool break_even = false;  // also measure by postings per query
  bool steps = false;       // also the steps of the GPU's batches (Ding 2009, Table 3); needs BenchGpuOptions::timed
};

// The engines to measure. One may be null, not both.
struct Processors {
  leaf::engine::QueryEngine* cpu = nullptr;
  BenchGpu* gpu = nullptr;
};

struct ProcessorRow {
  std::string_view processor;  // "cpu", "gpu"
  BenchMode mode = BenchMode::kOr;
  std::uint32_t k = 0;
  std::optional<Distribution> alone_us;  // one query after the other; otherwise in batches:
  std::size_t batch = 0;
  std::uint32_t callers = 0;
  Spread queries_per_second;
  struct Step {
    std::string_view name;
    double percent = 0;  // of the time of all
  };
  std::vector<Step> steps;
};

// Queries of about as many postings.
struct PostingsRow {
  BenchMode mode = BenchMode::kOr;
  std::uint32_t k = 0;
  std::uint64_t min_postings = 0, max_postings = 0;
  std::size_t queries = 0;
  double cpu_queries_per_second = 0, cpu_alone_us = 0, gpu_alone_us = 0;
  struct Batch {
    std::size_t batch = 0;
    double queries_per_second = 0;
  };
  std::vector<Batch> gpu;
};

// Is given rows as they are measured, and lines that say what is measured next. Each may be empty.
struct ProcessorObserver {
  std::function<void(const std::string&)> say;
  std::function<void(const ProcessorRow&)> row;
  std::function<void(const PostingsRow&)> by_postings;
};

struct ProcessorSummary {
  std::size_t queries = 0;
  double postings_a_query = 0;
};

// With a GPU, all lists are first copied to the device. With both, all hits are compared. Errors: kDevice if the lists
// do not fit on the device or the CPU answered a plan instead; kCorrupt if hits differ.
Result<ProcessorSummary> measure_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                                            const ProcessorOptions& options, const Processors& processors,
                                            const ProcessorObserver& observer);

// The output of `frond bench query --processor`: lines as rows are measured, or JSON.

// Errors as measure_processors().
Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorOptions& options, const Processors& processors, bool json);

}  // namespace frond::tools::bench
