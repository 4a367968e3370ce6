// In builds without CUDA nothing is measured on a GPU.
#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/gpu/bench_gpu.h"

namespace frond::tools::bench {

Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions&, leaf::engine::QueryEngine&) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

Result<std::string> describe_device() { return Error(Code::kDevice, "GPU: this build has no CUDA"); }

Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet&,
                                                             std::span<const codec::ListCodec* const>, unsigned,
                                                             std::uint64_t) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

}  // namespace frond::tools::bench
