#pragma once
// How fast a method intersects a set's queries: on the device in batches (Ao 2011 §3.1), or on this machine's cores;
// and the CPU engine for comparison. Before anything is timed, every method's answers are compared with the set's.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "leaf/gpu/intersect/methods.h"
#include "tools/bench/intersection_set.h"
#include "tools/bench/spread.h"

namespace frond::tools::bench {

struct IntersectionOptions {
  std::vector<std::uint32_t> thresholds{1u << 20};  // computations a batch; on the device, one timing for each
  std::uint32_t slots = 8;                          // batches in flight
  unsigned rounds = 5, threads = 1;
};

struct IntersectionTiming {
  std::uint32_t threshold = 0;                  // 0: no batches
  Spread queries;                               // a second, by the wall clock
  double response_ms = 0, response_p99_ms = 0;  // of one batch (on CPUs: one query) alone, from queries to answers
  double batch_queries = 0;                     // mean queries of a batch
  std::size_t index_bytes = 0;
};

// intersection_gpu.cc with CUDA, intersection_no_gpu.cc without. kDevice: no GPU, or it failed; kCorrupt: a wrong
// answer.
Result<void> find_gpu();
Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet& set, leaf::gpu::intersect::Method method,
                                                    const IntersectionOptions& options);

// The same building blocks on `threads` threads, each with a query. kInvalid: the method exists only as a kernel.
Result<IntersectionTiming> time_on_cpu(const IntersectionSet& set, leaf::gpu::intersect::Method method,
                                       const IntersectionOptions& options);

// AND by the engine `cpu` with scores, top 10, on `threads` threads: lists in codec simd-bp128, all frequencies 1.
Result<IntersectionTiming> time_cpu_engine(const IntersectionSet& set, const IntersectionOptions& options);

// Items a second, from the seconds of each round over `count` items.
Spread rate_of(std::vector<double> seconds, double count);

}  // namespace frond::tools::bench
