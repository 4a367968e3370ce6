#pragma once
// How long queries take on one partition, and how many a second several threads answer.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"
#include "tools/bench/partition_searcher.h"

namespace frond::tools {

enum class BenchMode { kAnd, kOr, kAuto };  // kAuto: AND, and where it has fewer than k hits, OR after it

struct TimingOptions {
  BenchMode mode = BenchMode::kOr;
  std::uint32_t k = 10;
  std::uint64_t count_to = leaf::engine::Plan::kCountOfLeaves;  // matches of AND
  std::uint32_t threads = 1, rounds = 5;
};

// Over queries, in microseconds of CPU time of the thread that ran them; each query's best round.
struct Distribution {
  double mean = 0, median = 0, p95 = 0, p99 = 0;
};
// mean, and the values at the ranks ceil(share * count). `values` is not empty.
Distribution distribution_of(std::vector<double> values);

struct QueryTiming {
  Distribution whole;                                          // look-ups, opening lists, evaluation
  Distribution evaluation;                                     // the engine alone
  double queries_per_second = 0, best_queries_per_second = 0;  // by the wall clock: the median round, the best
  double postings = 0;                                         // decoded, mean a query
  std::uint64_t checksum = 0;                                  // of all hits: equal answers, equal checksums
};

// Each round asks every query once; threads take them from one counter. Errors are the searcher's and the engine's,
// with the query's place.
Result<QueryTiming> time_queries(PartitionSearcher& searcher, leaf::engine::QueryEngine& engine,
                                 std::span<const BenchQuery> queries, const TimingOptions& options);

}  // namespace frond::tools
