#pragma once
// The GPU as benchmarks see it: there or not. bench_gpu_present.cc where the build has CUDA, bench_gpu_absent.cc where
// it has not.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/postings/posting_list.h"
#include "leaf/engine/query_engine.h"

namespace frond::tools {

class BenchGpu {
 public:
  struct Counters {
    std::uint64_t held_bytes = 0, copied_bytes = 0;  // lists on the device
    std::uint64_t refused = 0;                       // lists that it can't have
    std::uint64_t fallbacks = 0;                     // plans that the engine below answered
  };
  // Where the time of all batches so far went: microseconds, of host threads and of streams, which work side by side.
  struct Step {
    std::string_view name;
    double microseconds = 0;
  };
  virtual ~BenchGpu() = default;
  virtual leaf::engine::QueryEngine& engine() = 0;  // lists are copied by the search that first asks for them
  virtual Counters counters() const = 0;
  virtual std::vector<Step> steps() const = 0;  // in their order, while no search is on its way
};

struct BenchGpuOptions {
  int device = 0;
  std::size_t memory_bytes = std::size_t{4} << 30;  // workspaces and lists
  bool timed = false;                               // steps() tells the device's steps too, for some time more a batch
};

// `below` outlives what is made. kDevice: no such device, not so much memory, or a build without CUDA.
Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions& options, leaf::engine::QueryEngine& below);

// What the list takes in device memory, in a partition of so many documents. No device is needed, but a build with
// CUDA. kInvalid: a codec that the device can't decode; kCorrupt; kDevice.
Result<std::size_t> bytes_on_device(const postings::PostingList& list, std::uint32_t documents);

}  // namespace frond::tools
