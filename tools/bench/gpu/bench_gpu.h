#pragma once
// The GPU engine for benchmarks, in builds with and without CUDA: bench_gpu_present.cc is compiled with it,
// bench_gpu_absent.cc without.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/query_engine.h"

namespace frond::tools::bench {

class BenchGpu {
 public:
  struct Counters {
    std::uint64_t held_bytes = 0, copied_bytes = 0;  // lists on the device
    std::uint64_t refused = 0;                       // lists that the device cannot take
    std::uint64_t fallbacks = 0;                     // plans that the engine below answered
  };
  // One step, and its time over all batches so far, of host threads or of streams. Steps overlap.
  struct Step {
    std::string_view name;
    double microseconds = 0;
  };
  virtual ~BenchGpu() = default;
  virtual leaf::engine::QueryEngine& engine() = 0;  // a list is copied by the search that first asks for it
  virtual Counters counters() const = 0;
  virtual std::vector<Step> steps() const = 0;  // in the order of execution; call only while no search runs
};

struct BenchGpuOptions {
  std::vector<int> devices{0};                      // numbers; one at least
  std::size_t memory_bytes = std::size_t{4} << 30;  // of each: workspaces and lists
  bool by_bucket = true;                            // GpuEngine::Options::by_bucket
  std::string sums = "auto";                        // GpuEngine::Options::sums: auto, always, never
  bool timed = false;                               // steps() includes the device's steps; slows each batch a little
};

// `below` answers what the device cannot. It outlives the result. kDevice: no such device, not enough memory, or a
// build without CUDA.
Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions& options, leaf::engine::QueryEngine& below);

}  // namespace frond::tools::bench
