#pragma once
// Short kernels one behind the other, without the time between them: the next one's thread blocks take their places
// while the one before ends (programmatic dependent launch). For .cu files.
#include <cuda_runtime.h>

#include <type_traits>

#include "common/device/runtime.h"

namespace frond::device {

// As launch(), for kernels that begin with await_kernel_before(): its blocks may take their places while the kernel
// before it in the stream ends, which saves a microsecond or two between short kernels. Only where compute capability
// is 9.0 or more (Properties).
template <class... Parameters>
Result<void> launch_early(const char* what, void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
                          StreamHandle stream, std::type_identity_t<Parameters>... arguments) {
  if (blocks == 0) return {};
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  return status_of(cudaLaunchKernelEx(&config, kernel, arguments...), what);
}

// Waits until all that the kernel before has written can be read. Nothing where it was launched by launch(): then that
// is so.
__device__ inline void await_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// From here on a kernel behind this one that was launched early may take its places: when all thread blocks have said
// so.
__device__ inline void admit_kernel_behind() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace frond::device
