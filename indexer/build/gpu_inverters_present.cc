#include "indexer/build/gpu_inverters.h"

#include <utility>

#include "common/device/patience.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/gpu_inverter.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "indexer/order/gpu/device_bisection.h"

namespace frond::indexer {

Result<const invert::InverterKind*> gpu_inverters(int device) {
  FROND_TRY(invert::gpu::find_device(device));
  return &invert::gpu::gpu_inverter_kind();
}

Result<const invert::TextInverterKind*> gpu_text_inverter(int device) {
  FROND_TRY(invert::gpu::find_device(device));
  return &invert::gpu::gpu_text_inverter_kind();
}

Result<order::BisectElsewhere> gpu_bisection(const invert::GpuMemory& gpu) {
  FROND_TRY(invert::gpu::find_device(gpu.device));
  return order::BisectElsewhere([gpu](const order::ForwardIndex& index, std::stop_token stop) {
    return order::gpu::bisect_on_device(index, gpu.device, gpu.bytes, std::move(stop));
  });
}

int count_gpus() { return device::count_devices(); }

Result<std::uint64_t> free_gpu_memory(int device) {
  FROND_TRY(invert::gpu::find_device(device));
  const auto properties = FROND_TRY(device::properties_of(device));
  return std::uint64_t{properties.free_bytes};
}

void set_gpu_timeout(std::chrono::milliseconds timeout) {
  device::set_patience(timeout);
  // All kernels are loaded before any runs: loading one later waits for those that run, and for ever if these hang.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

}  // namespace frond::indexer
