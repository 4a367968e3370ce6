#pragma once
// Times queries on one processor as a leaf runs them: plans with their lists, in batches, from several threads. Uses
// the wall clock, since time on a device is not CPU time.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "tools/bench/query/query_timing.h"
#include "tools/bench/spread.h"

namespace frond::tools::bench {

// A query's plans for AND and OR. The searcher outlives them.
struct PlannedQuery {
  leaf::engine::Plan conjunction, disjunction;
  std::uint64_t postings = 0;  // of all its lists
};
// Plans the queries whose terms all exist in the partition; AND has no work with the others. kInvalid: no query is
// left; kCorrupt. Not `ranked`: the k first documents, and the exact number of matches.
Result<std::vector<PlannedQuery>> plan_queries(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                                               std::uint32_t k, bool ranked = true);

struct BatchTiming {
  std::size_t batch = 1;      // queries per call; the last call of a pass may have fewer
  std::uint32_t callers = 1;  // threads
  std::uint32_t rounds = 3;
  double seconds = 1;  // min duration of a round; a round ends with a whole pass over the queries
};
// Queries per second. Errors: those of the engine.
Result<Spread> time_batches(leaf::engine::QueryEngine& engine, BenchMode mode, std::span<const PlannedQuery> queries,
                            const BatchTiming& timing);

// Microseconds of single queries from one thread; for each query, the best of `rounds`.
Result<Distribution> time_alone(leaf::engine::QueryEngine& engine, BenchMode mode,
                                std::span<const PlannedQuery> queries, std::uint32_t rounds);

// The number of queries for which the hits, or the matches of plans that are not ranked, differ between `one`, in
// batches of 256, and `other`, one query at a time on `threads` threads.
Result<std::size_t> count_differing(leaf::engine::QueryEngine& one, leaf::engine::QueryEngine& other, BenchMode mode,
                                    std::span<const PlannedQuery> queries, std::uint32_t threads);

}  // namespace frond::tools::bench
