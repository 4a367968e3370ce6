#pragma once
// Measures how long queries take on one partition, and how many of them several threads answer per second.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/spread.h"

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

}  // namespace frond::tools::bench
