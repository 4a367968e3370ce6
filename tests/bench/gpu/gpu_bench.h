#pragma once
// The benches of gpu_bench. Each prints a table with the spread over its rounds and returns an exit code: not 0 if an
// answer was wrong or the device failed.
#include <cstddef>
#include <cstdint>

namespace frond::bench {

struct TermAtATimeBenchOptions {
  std::uint32_t documents = 25'200'000, lists = 600, queries = 200;
  unsigned threads = 16;  // for making the lists
  std::size_t memory_bytes = std::size_t{16} << 30;
};
// The engine beside OR as in the paper (tools/papers), one query at a time, by step.
int run_term_at_a_time_bench(const TermAtATimeBenchOptions& options);

struct DecodeBenchOptions {
  std::uint32_t max_log = 25;  // lists of 2^16 .. 2^max_log postings
  int rounds = 20;
};
// Times decoding docIDs to device memory, prefix sums included: of one list, and of many lists in one launch.
int run_decode_bench(const DecodeBenchOptions& options);

struct TextBenchOptions {
  std::size_t text_bytes = std::size_t{2} << 30;  // made up, in pinned memory
  std::size_t batch_bytes = std::size_t{128} << 20;
  std::size_t memory_bytes = std::size_t{24} << 30;  // of the device
  double vocabulary = 1e7;
  unsigned threads = 16;  // for making the text
  unsigned rounds = 3;
};
// Text to postings (indexer/invert/gpu/text), with what the host does meanwhile, by step.
int run_text_bench(const TextBenchOptions& options);

struct BisectionBenchOptions {
  std::uint32_t documents = 25'000'000;
  std::uint32_t terms = 40;  // drawn for a document, on average; some are the same
  std::uint32_t seed = 1, rounds = 1;
  std::uint32_t threads = 16;                        // that make the documents, and of the CPU's bisection
  std::size_t memory_bytes = std::size_t{64} << 30;  // of the device
  bool on_cpu = false;
};
// Bisection of a made-up collection (indexer/order), on the GPU and on the CPU: both must give the same order.
int run_bisection_bench(const BisectionBenchOptions& options);

}  // namespace frond::bench
