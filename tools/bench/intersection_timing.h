#pragma once
// How fast a method intersects a set's queries: on the device in batches (Ao 2011 §3.1), on this machine's cores, and
// the CPU engine for comparison. Every answer of every method is compared with the set's before anything is timed.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "leaf/gpu/intersect/methods.h"
#include "tools/bench/codec_timing.h"
#include "tools/bench/intersection_set.h"

namespace frond::tools {

struct IntersectionOptions {
  std::vector<std::uint32_t> thresholds{1u << 20};  // computations a batch: on the device one timing each
  std::uint32_t slots = 8;                          // batches under way
  unsigned rounds = 5, threads = 1;
};

struct IntersectionTiming {
  std::uint32_t threshold = 0;                  // 0: no batches
  Spread queries;                               // a second, by the wall clock
  double response_ms = 0, response_p99_ms = 0;  // of a batch, or a query, that is alone: from queries to answers
  double batch_queries = 0;                     // mean
  std::size_t index_bytes = 0;
};

// intersection_gpu.cc where the build has CUDA, intersection_no_gpu.cc where it has not. kDevice: there is none, or it
// fails; kCorrupt: a wrong answer.
Result<void> find_gpu();
Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet& set, leaf::gpu::intersect::Method method,
                                                    const IntersectionOptions& options);

// The same building blocks on `threads` threads, a query each. kInvalid: the method is one of kernels alone.
Result<IntersectionTiming> time_on_cpu(const IntersectionSet& set, leaf::gpu::intersect::Method method,
                                       const IntersectionOptions& options);

// AND by the engine `cpu`, top 10: lists in codec simd-bp128, frequencies 1, scores and all, `threads` threads.
Result<IntersectionTiming> time_cpu_engine(const IntersectionSet& set, const IntersectionOptions& options);

// From seconds that rounds took.
Spread rate_of(std::vector<double> seconds, double count);

}  // namespace frond::tools
