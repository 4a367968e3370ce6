#pragma once
// Launches short kernels one after the other without the gap between them: the next kernel's thread blocks become
// resident while the previous kernel ends (programmatic dependent launch). For .cu files.
#include <cuda_runtime.h>

#include <type_traits>

#include "common/device/patience.h"
#include "common/device/runtime.h"

namespace frond::device {

// As launch(), for kernels that begin with await_kernel_before(): their blocks may become resident while the previous
// kernel in the stream ends, which saves a microsecond or two between short kernels. Needs compute capability 9.0 or
// more (Properties).
template <class... Parameters>
Result<void> launch_early(const char* what, void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
                          StreamHandle stream, std::type_identity_t<Parameters>... arguments) {
  if (blocks == 0) return {};
  if (given_up()) return given_up_error();
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

// Waits until everything that the previous kernel wrote can be read. Does nothing in a kernel launched by launch(),
// which starts after that.
__device__ inline void await_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the blocks of a next kernel that was launched early become resident, once all thread blocks have called this or
// ended.
__device__ inline void admit_kernel_behind() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace frond::device
