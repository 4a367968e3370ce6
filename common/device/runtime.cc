#include "common/device/runtime.h"

#include <cuda_runtime.h>

namespace frond::device {
namespace {

Result<void> copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaMemcpyKind kind, StreamHandle stream) {
  if (bytes == 0) return {};
  return status_of(cudaMemcpyAsync(to, from, bytes, kind, stream), "copying");
}

}  // namespace

Result<void> status_of(int cuda_error, const char* what) {
  if (cuda_error == cudaSuccess) return {};
  return Error(Code::kDevice,
               std::string("GPU: ") + what + ": " + cudaGetErrorString(static_cast<cudaError_t>(cuda_error)));
}

int count_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Result<Properties> properties_of(int device) {
  cudaDeviceProp told{};
  FROND_TRY(status_of(cudaGetDeviceProperties(&told, device), "asking for properties"));
  FROND_TRY(use(device));
  std::size_t free_bytes = 0, all_bytes = 0;
  FROND_TRY(status_of(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for free memory"));
  return Properties{.name = told.name,
                    .memory_bytes = told.totalGlobalMem,
                    .free_bytes = free_bytes,
                    .processors = told.multiProcessorCount,
                    .major = told.major,
                    .minor = told.minor};
}

Result<void> use(int device) { return status_of(cudaSetDevice(device), "choosing a device"); }

Result<Stream> Stream::create() {
  cudaStream_t handle = nullptr;
  FROND_TRY(status_of(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a stream"));
  return Stream(handle);
}
Stream::~Stream() {
  if (handle_) cudaStreamDestroy(handle_);
}

Result<Event> Event::create(bool timing) {
  cudaEvent_t handle = nullptr;
  const unsigned flags = timing ? cudaEventDefault : cudaEventDisableTiming;
  FROND_TRY(status_of(cudaEventCreateWithFlags(&handle, flags), "making an event"));
  return Event(handle);
}
Event::~Event() {
  if (handle_) cudaEventDestroy(handle_);
}
Result<void> Event::record(StreamHandle stream) {
  return status_of(cudaEventRecord(handle_, stream), "recording an event");
}
Result<bool> Event::done() const {
  const cudaError_t state = cudaEventQuery(handle_);
  if (state == cudaErrorNotReady) return false;
  FROND_TRY(status_of(state, "running"));
  return true;
}
Result<void> Event::wait() const { return status_of(cudaEventSynchronize(handle_), "running"); }
Result<void> Event::make_wait(StreamHandle stream) const {
  return status_of(cudaStreamWaitEvent(stream, handle_, 0), "ordering streams");
}
Result<float> Event::milliseconds_since(const Event& start) const {
  float milliseconds = 0;
  FROND_TRY(status_of(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "reading a time"));
  return milliseconds;
}

Result<Memory> Memory::create(Place place, std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t made = place == Place::kDevice ? cudaMalloc(&data, bytes) : cudaMallocHost(&data, bytes);
  if (made != cudaSuccess) {
    cudaGetLastError();  // no memory is no reason to give the device up: forget it
    return status_of(made, "allocating").error().within(std::to_string(bytes) + " bytes");
  }
  return Memory(place, static_cast<std::byte*>(data), bytes);
}
Memory::~Memory() {
  if (!data_) return;
  if (place_ == Place::kDevice)
    cudaFree(data_);
  else
    cudaFreeHost(data_);
}

Result<void> copy_to_device(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream) {
  return copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
Result<void> copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
Result<void> fill_with_zeros(std::byte* to, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return {};
  return status_of(cudaMemsetAsync(to, 0, bytes, stream), "clearing");
}

}  // namespace frond::device
