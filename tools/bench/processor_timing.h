#pragma once
// Queries on one processor as a leaf gives them to it: plans with their lists at hand, in batches, by several callers.
// By the wall clock, since a device's time is nobody's CPU time.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "tools/bench/query_timing.h"

namespace frond::tools {

// A query ready to be evaluated either way. What plan() was asked of outlives it.
struct PlannedQuery {
  leaf::engine::Plan conjunction, disjunction;
  std::uint64_t postings = 0;  // of all its lists
};
// All with the same k, at least one. Queries with a term that the partition lacks are left out: no processor has work
// with them. kInvalid: none is left; kCorrupt.
Result<std::vector<PlannedQuery>> plan_queries(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                                               std::uint32_t k);

struct BatchTiming {
  std::size_t batch = 1;  // queries a call; the last of a pass may have fewer
  std::uint32_t callers = 1;
  std::uint32_t rounds = 3;
  double seconds = 1;  // of a round, at least: it ends with a whole pass over the queries
};
struct Rate {
  double least = 0, median = 0, most = 0;  // queries a second, over rounds
};
// Errors are the engine's.
Result<Rate> time_batches(leaf::engine::QueryEngine& engine, BenchMode mode, std::span<const PlannedQuery> queries,
                          const BatchTiming& timing);

// Microseconds of each query alone, by one caller: each one's best of `rounds`.
Result<Distribution> time_alone(leaf::engine::QueryEngine& engine, BenchMode mode,
                                std::span<const PlannedQuery> queries, std::uint32_t rounds);

// How many queries have other hits from `one` in batches of 256 than from `other` one by one, by so many threads.
Result<std::size_t> count_differing(leaf::engine::QueryEngine& one, leaf::engine::QueryEngine& other, BenchMode mode,
                                    std::span<const PlannedQuery> queries, std::uint32_t threads);

}  // namespace frond::tools
