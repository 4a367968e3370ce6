#pragma once
// Launches a kernel. For .cu files. The status is that of the launch; errors of the running kernel come later.
#include <cuda_runtime.h>

#include <type_traits>

#include "common/device/patience.h"
#include "common/device/runtime.h"

namespace frond::device {

// `what` names the kernel in errors. With 0 blocks, which CUDA would refuse, nothing is launched.
template <class... Parameters>
Result<void> launch(const char* what, void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
                    StreamHandle stream, std::type_identity_t<Parameters>... arguments) {
  if (blocks == 0) return {};
  if (given_up()) return given_up_error();
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return status_of(cudaLaunchKernelEx(&config, kernel, arguments...), what);
}

}  // namespace frond::device
