#pragma once
// What gpu_bench measures. Each prints a table with the spread of its rounds, and returns an exit code: not 0 where an
// answer was wrong.
#include <cstddef>
#include <cstdint>

namespace frond::bench {

struct QueryBenchOptions {
  std::uint32_t documents = 25'200'000, lists = 600, queries = 2000, times = 4;
  unsigned threads = 16;  // of the CPU engine, and for making the lists
  std::size_t memory_bytes = std::size_t{16} << 30;
};
// Ranked queries of both engines on the gov2 profile, all lists on the device.
int run_query_bench(const QueryBenchOptions& options);

// The engine beside OR as in the paper (leaf/gpu/taat), one query at a time, by step; on the first of the queries.
int run_term_at_a_time_bench(const QueryBenchOptions& options);
// Both engines by the postings of a query and the size of a batch: from where on the GPU wins.
int run_break_even_bench(const QueryBenchOptions& options);

struct DecodeBenchOptions {
  std::uint32_t most = 25;  // lists of 2^16 .. 2^most postings
  int rounds = 20;
};
// Decoding docIDs to device memory, sums included: one list, and many in one launch.
int run_decode_bench(const DecodeBenchOptions& options);

}  // namespace frond::bench
