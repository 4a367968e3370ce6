#pragma once
// Measures how fast a method intersects a set's queries: on the device in batches (Ao 2011 §3.1) or on this machine's
// cores. The CPU engine is measured for comparison. Before the timing, every method's answers are compared with the
// set's.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/measure.h"
#include "tools/papers/intersect/intersection_set.h"
#include "tools/papers/intersect/methods.h"

namespace frond::tools::papers {

struct IntersectionOptions {
  std::vector<std::uint32_t> thresholds{1u << 20};  // computations per batch; on the device, one timing for each
  std::uint32_t slots = 8;                          // batches in flight
  unsigned rounds = 5, threads = 1;
};

struct IntersectionTiming {
  std::uint32_t threshold = 0;                  // 0: no batches
  bench::Spread queries;                        // per second, by the wall clock
  double response_ms = 0, response_p99_ms = 0;  // of a single batch (CPU: query) running alone, from queries to answers
  double batch_queries = 0;                     // mean queries per batch
  std::size_t index_bytes = 0;
};

// In intersection_gpu.cc with CUDA, otherwise in intersection_no_gpu.cc. kDevice: no GPU, or it failed; kCorrupt: a
// wrong answer.
Result<void> find_gpu();
Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet& set, Method method,
                                                    const IntersectionOptions& options);

// The same building blocks on `threads` threads, each with one query at a time. kInvalid: the method exists only as a
// kernel.
Result<IntersectionTiming> time_on_cpu(const IntersectionSet& set, Method method, const IntersectionOptions& options);

// AND by the engine `cpu` with scores, top 10, on `threads` threads. Lists are in codec simd-bp128; all frequencies are
// 1.
Result<IntersectionTiming> time_cpu_engine(const IntersectionSet& set, const IntersectionOptions& options);

}  // namespace frond::tools::papers
