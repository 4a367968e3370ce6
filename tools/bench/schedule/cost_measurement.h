#pragma once
// Measures what queries cost on each processor, over all partitions of a collection as one leaf would search them, and
// trains a cost model from it.
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "leaf/schedule/cost_model.h"
#include "tools/bench/gpu/bench_gpu.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/schedule/cost_training.h"

namespace frond::tools::bench {

// A query in one mode and for one k. The searchers outlive it.
struct CostedQuery {
  leaf::schedule::QueryFeatures features;
  std::vector<leaf::engine::Plan> plans;  // of the partitions in which it may find something
  double cpu_us = 0;                      // one thread, the best of some rounds; all partitions
  double gpu_us = 0;                      // what it adds to a batch of 64; 0: not measured, or left to the CPU
  double alone_us = 0;                    // on the GPU, alone; 0: not measured
  std::size_t number = 0;                 // of the query; the same query for several k and modes has one number
};

// All partitions of the collection's current generation. Their numbers begin at choice.number.
Result<std::vector<std::unique_ptr<PartitionSearcher>>> open_partitions(PartitionChoice choice);

// Plans each query for each mode and k. Queries without a list are left out, AND also if a term is unknown.
Result<std::vector<CostedQuery>> plan_costed(std::span<const std::unique_ptr<PartitionSearcher>> searchers,
                                             std::span<const BenchQuery> queries,
                                             std::span<const leaf::engine::Mode> modes,
                                             std::span<const std::uint32_t> ks);

// Sets cpu_us. Errors: those of the engine.
Result<void> measure_cpu(leaf::engine::QueryEngine& engine, std::span<CostedQuery> queries, std::uint32_t rounds);

// What a batch costs beside its queries.
struct BatchCosts {
  double launch_us = 0;
  std::vector<leaf::schedule::CostModel::BatchScale> scales;
  RelativeErrors batches;  // of predictions of whole batches of other queries from what their queries cost
};
// Sets gpu_us and alone_us; both stay 0 for queries that the device leaves to the CPU. A query's part of a batch is
// measured with batches of 64 of the same query, then scaled so that mixed batches take what they do with `callers`
// threads. Batches have at most `max_batch` queries, at least 64. kDevice: lists were refused, or the CPU had to answer
// more than a tenth of the queries, for example because lists do not fit on the device.
Result<BatchCosts> measure_gpu(BenchGpu& gpu, std::span<CostedQuery> queries, std::uint32_t callers,
                               std::uint32_t rounds, std::size_t max_batch = 512);

// The model of the queries that are not held out, and the errors on those that are: each fourth.
struct TrainedModel {
  leaf::schedule::CostModel model;
  RelativeErrors held_out[leaf::schedule::kProcessors][leaf::schedule::kModes];
  RelativeErrors base[leaf::schedule::kProcessors][leaf::schedule::kModes];  // of the base model on the same queries
};
inline bool is_held_out(const CostedQuery& query) { return query.number % 4 == 3; }
// What was not measured stays as in `base`, whose errors are measured too.
TrainedModel train(std::span<const CostedQuery> queries, const BatchCosts* batches,
                   const leaf::schedule::CostModel& base,
                   std::size_t max_trees = leaf::schedule::CostRegression::kMaxTrees);

}  // namespace frond::tools::bench
