#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/support/cuda_on_host/cuda_runtime.h"
#include "tests/support/cuda_on_host/devices.h"

struct CUstream_st {
  int device;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
  bool reached = true;
};

namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;  // of each device
constexpr auto kInvalidDevice = static_cast<cudaError_t>(101);

cudaError_t allocate(void** data, std::size_t bytes) {
  cuda_on_host::block_while_it_hangs();
  if (bytes > kMemory || cuda_on_host::is_full()) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  std::memset(
      *data, 0xa5,
      std::min<std::size_t>(bytes, 2 << 20));  // not all of it, so that most pages of a large piece are never touched
  return cudaSuccess;
}
cudaError_t operation() { return cuda_on_host::lost() ? cudaErrorLaunchFailure : cudaSuccess; }
cudaError_t operation(cudaStream_t stream) {
  if (stream != nullptr && stream->device != cuda_on_host::current_device()) {
    std::fprintf(stderr, "cuda_on_host: a stream of device %d while %d is current\n", stream->device,
                 cuda_on_host::current_device());
    std::abort();
  }
  return operation();
}

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory"
         : error == kInvalidDevice          ? "invalid device ordinal"
                                            : "unspecified launch failure";
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  cuda_on_host::block_while_it_hangs();
  *count = cuda_on_host::devices();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  cuda_on_host::block_while_it_hangs();
  *properties = {"host", kMemory, 4, 9, 0};
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  *free_bytes = cuda_on_host::is_full() ? 0 : kMemory;
  *all_bytes = kMemory;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= cuda_on_host::devices()) return kInvalidDevice;
  cuda_on_host::set_current_device(device);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = cuda_on_host::current_device();
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  cuda_on_host::block_while_it_hangs();
  *stream = new CUstream_st{cuda_on_host::current_device()};
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->recorded = std::chrono::steady_clock::now();
  const cudaError_t state = operation(stream);
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
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) { return operation(stream); }
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
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const cudaError_t state = operation(stream);
  if (state == cudaSuccess && !cuda_on_host::hangs()) std::memcpy(to, from, bytes);
  return state;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return operation(); }
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t state = operation(stream);
  if (state == cudaSuccess && !cuda_on_host::hangs()) std::memset(to, byte, bytes);
  return state;
}
