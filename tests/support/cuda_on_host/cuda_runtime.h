#pragma once
// CUDA on the host, for tests: the part of CUDA's language and runtime that our .cu files and common/device use, so
// that g++ compiles the same files and they run without a device. Device memory is host memory, operations in streams
// run at once, and a kernel's threads are fibers, which switch at warp operations and barriers (fibers.h).
//
// Stricter than a device, to find bugs. The program ends when the lanes of a warp are at different warp operations, and
// when threads wait for others that will never come. New memory is filled with 0xa5 (the first 2 MiB of it).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tests/support/cuda_on_host/fibers.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define threadIdx (::cuda_on_host::self().thread)
#define blockIdx (::cuda_on_host::self().block)

// ---- The runtime.
struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNotReady = 600,
  cudaErrorLaunchFailure = 719,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2,
                          cudaHostRegisterPortable = 1;
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int multiProcessorCount, major, minor;
};
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaMalloc(void** data, std::size_t bytes);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* data);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned flags);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream);

enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (cuda_on_host::lost()) return cudaErrorLaunchFailure;
  if (cuda_on_host::hangs()) return cudaSuccess;
  cuda_on_host::run(config->gridDim, config->blockDim, [&] { kernel(arguments...); });
  return cudaSuccess;
}

// ---- The language.
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

inline void __syncthreads() { cuda_on_host::meet_block(); }
inline void __threadfence_system() {}
inline void __syncwarp() { cuda_on_host::meet_warp(cuda_on_host::Meeting::kSync, 0); }

template <class T>
T __shfl_sync(unsigned, T value, int from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = cuda_on_host::meet_warp(cuda_on_host::Meeting::kShuffle, bits)[from & 31];
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by) {
  const int lane = static_cast<int>(cuda_on_host::self().lane);
  const int from = lane - static_cast<int>(by);
  return __shfl_sync(mask, value, from < 0 ? lane : from);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by) {
  return __shfl_sync(mask, value, static_cast<int>(cuda_on_host::self().lane) ^ by);
}
inline unsigned __ballot_sync(unsigned, bool vote) {
  const auto* votes = cuda_on_host::meet_warp(cuda_on_host::Meeting::kBallot, vote);
  unsigned mask = 0;
  for (unsigned lane = 0; lane < 32; ++lane) mask |= static_cast<unsigned>(votes[lane]) << lane;
  return mask;
}
inline bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
inline bool __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) == ~0u; }
inline unsigned __reduce_add_sync(unsigned, unsigned value) {
  const auto* values = cuda_on_host::meet_warp(cuda_on_host::Meeting::kReduce, value);
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) sum += static_cast<unsigned>(values[lane]);
  return sum;
}

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __ffs(int bits) { return bits ? std::countr_zero(static_cast<unsigned>(bits)) + 1 : 0; }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (by < 32 ? by : 32));
}

inline float __fdividef(float dividend, float divisor) { return dividend / divisor; }

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}
template <class T>
T atomicAdd(T* to, std::type_identity_t<T> value) {
  return std::exchange(*to, *to + value);
}
template <class T>
T atomicSub(T* to, std::type_identity_t<T> value) {
  return std::exchange(*to, *to - value);
}
template <class T>
T atomicCAS(T* to, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return std::exchange(*to, *to == expected ? value : *to);
}
template <class T>
T atomicMax(T* to, std::type_identity_t<T> value) {
  return std::exchange(*to, std::max(*to, value));
}
template <class T>
T atomicMin(T* to, std::type_identity_t<T> value) {
  return std::exchange(*to, std::min(*to, value));
}
template <class T>
T atomicOr(T* to, std::type_identity_t<T> value) {
  return std::exchange(*to, *to | value);
}
using std::max;
using std::min;
