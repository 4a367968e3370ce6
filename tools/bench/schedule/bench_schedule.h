#pragma once
// What `frond bench schedule` does, apart from its flags.
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/gpu/bench_gpu.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/schedule/cost_training.h"

namespace frond::tools::bench {

// The flags; docs/operations.md says what each is.
struct BenchScheduleFlags {
  bool train = false;
  std::string repository;
  std::vector<std::string> collections, queries;  // a file of queries for each collection, or one for all
  std::string processor = "cpu", model;
  std::vector<std::uint32_t> ks{1, 10, 100, 1000};
  std::size_t limit = 1000, trees = leaf::schedule::CostRegression::kMaxTrees;
  std::uint32_t rounds = 3, callers = 3;
  BenchGpuOptions gpu;
  std::uint32_t workers = 16, streams = 3;
  std::size_t batch = 512, arrivals = 20'000;
  std::uint64_t seed = 1;
  std::vector<double> deadlines_ms{500, 50};
  bool json = false;
};

// --train: measures queries of an index, and writes the model.
Result<void> train_schedule(const BenchScheduleFlags& flags);
// Figure 7 for each deadline.
Result<void> simulate_schedule(const BenchScheduleFlags& flags);

}  // namespace frond::tools::bench
