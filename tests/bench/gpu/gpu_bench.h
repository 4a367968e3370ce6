#pragma once
// What gpu_bench measures. Each prints a table with the spread of its rounds, and returns an exit code: not 0 where an
// answer was wrong.
#include <cstddef>
#include <cstdint>

namespace frond::bench {

struct TermAtATimeBenchOptions {
  std::uint32_t documents = 25'200'000, lists = 600, queries = 200;
  unsigned threads = 16;  // that make the lists
  std::size_t memory_bytes = std::size_t{16} << 30;
};
// The engine beside OR as in the paper (tools/papers), one query at a time, by step.
int run_term_at_a_time_bench(const TermAtATimeBenchOptions& options);

struct DecodeBenchOptions {
  std::uint32_t most = 25;  // lists of 2^16 .. 2^most postings
  int rounds = 20;
};
// Decoding docIDs to device memory, sums included: one list, and many in one launch.
int run_decode_bench(const DecodeBenchOptions& options);

}  // namespace frond::bench
