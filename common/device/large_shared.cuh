#pragma once
// Shared memory of a thread block beyond the 48 KiB that a kernel can declare: the launch asks for it. For .cu files.
#include <cuda_runtime.h>

#include "common/device/launch.cuh"

namespace frond::device {

// The thread block's Space, with any bytes in it, in a kernel launched by launch_with_space<Space>().
template <class Space>
__device__ inline Space& space_of_block() {
#ifdef __CUDACC__
  extern __shared__ uint4 frond_space_of_block[];
  return *reinterpret_cast<Space*>(frond_space_of_block);
#else
  __shared__ Space space;
  return space;
#endif
}

// As launch(). Devices since compute capability 8.0 have 99 KiB for a thread block.
template <class Space, class... Parameters>
Result<void> launch_with_space(const char* what, void (*kernel)(Parameters...), std::uint32_t blocks,
                               std::uint32_t threads, StreamHandle stream,
                               std::type_identity_t<Parameters>... arguments) {
  static_assert(sizeof(Space) <= 99 << 10 && alignof(Space) <= 16);
  if (blocks == 0) return {};
  if (given_up()) return given_up_error();
  FROND_TRY(
      status_of(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int{sizeof(Space)}), what));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = sizeof(Space);
  config.stream = stream;
  return status_of(cudaLaunchKernelEx(&config, kernel, arguments...), what);
}

}  // namespace frond::device
