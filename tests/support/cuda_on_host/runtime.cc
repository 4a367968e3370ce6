#include <chrono>
#include <cstdlib>

#include "tests/support/cuda_on_host/cuda_runtime.h"

struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
  bool reached = true;
};

namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

cudaError_t allocate(void** data, std::size_t bytes) {
  cuda_on_host::block_while_it_hangs();
  if (bytes > kMemory) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(
      *data, 0xa5,
      std::min<std::size_t>(bytes, 2 << 20));  // not all of it, so that most pages of a large piece are never touched
  return cudaSuccess;
}
cudaError_t operation() { return cuda_on_host::lost() ? cudaErrorLaunchFailure : cudaSuccess; }

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "unspecified launch failure";
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  cuda_on_host::block_while_it_hangs();
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  cuda_on_host::block_while_it_hangs();
  *properties = {"host", kMemory, 4, 9, 0};
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  *free_bytes = *all_bytes = kMemory;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  cuda_on_host::block_while_it_hangs();
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cuda_on_host::block_while_it_hangs();
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = std::chrono::steady_clock::now();
  const cudaError_t state = operation();
  event->reached = !cuda_on_host::hangs();
  return state;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const cudaError_t state = operation();
  return state == cudaSuccess && !event->reached ? cudaErrorNotReady : state;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - start->recorded).count();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return operation(); }
cudaError_t cudaMalloc(void** data, std::size_t bytes) { return allocate(data, bytes); }
cudaError_t cudaMallocHost(void** data, std::size_t bytes) { return allocate(data, bytes); }
cudaError_t cudaFree(void* data) {
  cuda_on_host::block_while_it_hangs();
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return operation(); }
cudaError_t cudaHostUnregister(void*) { return operation(); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  const cudaError_t state = operation();
  if (state == cudaSuccess && !cuda_on_host::hangs()) std::memcpy(to, from, bytes);
  return state;
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  const cudaError_t state = operation();
  if (state == cudaSuccess && !cuda_on_host::hangs()) std::memset(to, byte, bytes);
  return state;
}
