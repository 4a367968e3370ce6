#pragma once
// Measures how long queries take on one partition, and how many of them several threads answer per second.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "tools/bench/measure.h"
#include "tools/bench/query/partition_searcher.h"

namespace frond::tools::bench {

enum class BenchMode { kAnd, kOr, kAuto };  // kAuto: AND, then OR if AND has fewer than k hits

struct TimingOptions {
  BenchMode mode = BenchMode::kOr;
  std::uint32_t k = 10;
  bool ranked = true;  // false: the k first, and the exact number of matches, which is part of the checksum
  std::uint64_t count_to = leaf::engine::Plan::kCountOfLeaves;  // count at least this many matches of AND
  std::uint32_t threads = 1, rounds = 5;
};

// CPU time, in microseconds, that the thread needed for a query in its best round: over all queries.
struct QueryTiming {
  Distribution whole;                                          // look-ups, opening lists, evaluation
  Distribution evaluation;                                     // the engine alone
  double queries_per_second = 0, best_queries_per_second = 0;  // by the wall clock: median round, best round
  double postings = 0;                                         // decoded, mean per query
  std::uint64_t checksum = 0;                                  // over all hits; equal answers have equal checksums
};

// Each round runs every query once; threads take the next query from a counter. Errors: those of the searcher and the
// engine, naming the query by its number.
Result<QueryTiming> time_queries(PartitionSearcher& searcher, leaf::engine::QueryEngine& engine,
                                 std::span<const BenchQuery> queries, const TimingOptions& options);

// Times queries on one processor as a leaf runs them: plans with their lists, in batches, from several threads. Uses
// the wall clock, since time on a device is not CPU time.

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
// batches of 256, and `other`, one query at a time on `threads` threads; or the counts of `one`, or its hits by an
// order, are not those expected.
Result<std::size_t> count_differing(leaf::engine::QueryEngine& one, leaf::engine::QueryEngine& other, BenchMode mode,
                                    std::span<const PlannedQuery> queries, std::uint32_t threads);

}  // namespace frond::tools::bench
