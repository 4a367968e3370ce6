#include "tools/bench/gpu/bench_gpu.h"

namespace frond::tools::bench {

Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions&, leaf::engine::QueryEngine&) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

Result<std::size_t> bytes_on_device(const postings::PostingList&, std::uint32_t) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

}  // namespace frond::tools::bench
