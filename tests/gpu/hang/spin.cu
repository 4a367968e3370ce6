#include "common/device/launch.cuh"
#include "common/device/runtime.h"
#include "tests/gpu/hang/spin.h"

namespace frond::support {
namespace {

constexpr std::uint32_t kThreads = 1024;

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void __launch_bounds__(kThreads, 2) spin(std::uint64_t for_nanoseconds) {
  const std::uint64_t begun = nanoseconds();
  while (nanoseconds() - begun < for_nanoseconds) __nanosleep(1000);
}

}  // namespace

Result<void> occupy_device(int seconds) {
  static const device::Stream stream = FROND_TRY(device::Stream::create());  // stays until the process ends
  const device::Properties device = FROND_TRY(device::properties_of(0));
  const std::uint32_t blocks = static_cast<std::uint32_t>(device.processors) * 2;
  return device::launch("spinning", spin, blocks, kThreads, stream.get(), std::uint64_t{1'000'000'000} * seconds);
}

}  // namespace frond::support
