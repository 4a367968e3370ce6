#include "indexer/build/gpu_inverters.h"

namespace frond::indexer {

Result<const invert::InverterKind*> gpu_inverters(int) { return Error(Code::kDevice, "this build has no CUDA"); }
Result<const invert::TextInverterKind*> gpu_text_inverter(int) {
  return Error(Code::kDevice, "this build has no CUDA");
}

Result<order::BisectElsewhere> gpu_bisection(const invert::GpuMemory&) {
  return Error(Code::kDevice, "this build has no CUDA");
}
int count_gpus() { return 0; }
Result<std::uint64_t> free_gpu_memory(int) { return Error(Code::kDevice, "this build has no CUDA"); }
void set_gpu_timeout(std::chrono::milliseconds) {}

}  // namespace frond::indexer
