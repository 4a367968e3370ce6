#include "common/device/runtime.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "common/device/devices.h"
#include "common/device/patience.h"

namespace frond::device {
namespace {

Result<void> copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaMemcpyKind kind, StreamHandle stream) {
  if (bytes == 0) return {};
  if (given_up()) return given_up_error();
  return status_of(cudaMemcpyAsync(to, from, bytes, kind, stream), "copying");
}

// A wait looks all the time at first, since most are short; then it sleeps between two looks, for longer and longer.
constexpr std::chrono::microseconds kSpin{50}, kShortestNap{20}, kLongestNap{500};

// Runs what gives memory back or destroys a stream, unless a device is given up. For destructors. If that fails, the
// device keeps what it has.
template <class Call>
void end(const Call& call) noexcept {
  if (any_given_up()) return;
  try {
    static_cast<void>(within_patience("freeing", call));
  } catch (const std::exception&) {  // the host is out of memory
  }
}

std::array<std::atomic<bool>, kMaxDevices> has_context{};  // a thread has used the device

}  // namespace

Result<void> status_of(int cuda_error, const char* what) {
  if (cuda_error == cudaSuccess) return {};
  return Error(Code::kDevice,
               std::string("GPU: ") + what + ": " + cudaGetErrorString(static_cast<cudaError_t>(cuda_error)));
}

int count_devices() {
  const auto count = std::make_shared<int>(0);
  return within_patience("counting devices", [count] { return cudaGetDeviceCount(count.get()); })
             ? std::min(*count, kMaxDevices)
             : 0;
}

Result<Properties> properties_of(int device) {
  struct Answer {
    cudaDeviceProp told{};
    std::size_t free_bytes = 0, all_bytes = 0;
  };
  const auto answer = std::make_shared<Answer>();
  FROND_TRY(use(device));
  FROND_TRY(within_patience("asking for properties", [answer, device]() -> int {
    if (const int failed = cudaGetDeviceProperties(&answer->told, device); failed != cudaSuccess) return failed;
    return cudaMemGetInfo(&answer->free_bytes, &answer->all_bytes);
  }));
  return Properties{.name = answer->told.name,
                    .memory_bytes = answer->told.totalGlobalMem,
                    .free_bytes = answer->free_bytes,
                    .processors = answer->told.multiProcessorCount,
                    .major = answer->told.major,
                    .minor = answer->told.minor};
}

// The first call for a device makes its context, which may block. It is made by another thread; afterwards the call is
// short.
Result<void> use(int device) {
  if (device < 0 || device >= kMaxDevices)
    return Error(Code::kDevice, "GPU: there is no device " + std::to_string(device));
  if (given_up(device)) return given_up_error();
  if (current_device() == device) return {};
  std::atomic<bool>& known = has_context[static_cast<std::size_t>(device)];
  if (!known.load(std::memory_order_relaxed)) {
    const int before = current_device();
    set_current_device(device);  // which is given up if the call does not return
    const auto made = within_patience("choosing a device", [device] { return cudaSetDevice(device); });
    set_current_device(before);
    FROND_TRY(made);
    known.store(true, std::memory_order_relaxed);
  }
  FROND_TRY(status_of(cudaSetDevice(device), "choosing a device"));
  set_current_device(device);
  return {};
}

void reach(int other) {
  static_cast<void>(within_patience("reaching a device", [other] {
    const int answer = cudaDeviceEnablePeerAccess(other, 0);
    static_cast<void>(cudaGetLastError());  // the other one is not in reach, or was before: it is no failure
    return answer;
  }));
}

Result<Stream> Stream::create() {
  const auto handle = std::make_shared<cudaStream_t>();
  FROND_TRY(within_patience("making a stream",
                            [handle] { return cudaStreamCreateWithFlags(handle.get(), cudaStreamNonBlocking); }));
  return Stream(*handle);
}
Stream::~Stream() {
  if (handle_) end([handle = handle_] { return cudaStreamDestroy(handle); });
}

Result<Event> Event::create(bool timing) {
  if (given_up()) return given_up_error();
  cudaEvent_t handle = nullptr;
  const unsigned flags = timing ? cudaEventDefault : cudaEventDisableTiming;
  FROND_TRY(status_of(cudaEventCreateWithFlags(&handle, flags), "making an event"));
  return Event(handle);
}
Event::~Event() {
  if (handle_ && !any_given_up()) cudaEventDestroy(handle_);
}
Result<void> Event::record(StreamHandle stream) {
  if (given_up()) return given_up_error();
  return status_of(cudaEventRecord(handle_, stream), "recording an event");
}
Result<bool> Event::done() const {
  if (given_up()) return given_up_error();
  const cudaError_t state = cudaEventQuery(handle_);
  if (state == cudaErrorNotReady) return false;
  FROND_TRY(status_of(state, "running"));
  return true;
}
Result<void> Event::wait() const {
  const auto begin = std::chrono::steady_clock::now();
  while (!FROND_TRY(done())) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= patience()) {
      give_up();
      return given_up_error();
    }
    if (waited >= kSpin)
      std::this_thread::sleep_for(
          std::clamp(std::chrono::duration_cast<std::chrono::microseconds>(waited / 8), kShortestNap, kLongestNap));
  }
  return {};
}
Result<void> Event::make_wait(StreamHandle stream) const {
  if (given_up()) return given_up_error();
  return status_of(cudaStreamWaitEvent(stream, handle_, 0), "ordering streams");
}
Result<float> Event::milliseconds_since(const Event& start) const {
  if (given_up()) return given_up_error();
  float milliseconds = 0;
  FROND_TRY(status_of(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "reading a time"));
  return milliseconds;
}

Result<Memory> Memory::create(Place place, std::size_t bytes) {
  const auto data = std::make_shared<void*>(nullptr);
  auto made = within_patience("allocating", [data, place, bytes] {
    return place == Place::kDevice ? cudaMalloc(data.get(), bytes) : cudaMallocHost(data.get(), bytes);
  });
  if (!made) return std::move(made).error().within(std::to_string(bytes) + " bytes");
  return Memory(place, static_cast<std::byte*>(*data), bytes);
}
Memory::~Memory() {
  if (data_)
    end([place = place_, data = data_] { return place == Place::kDevice ? cudaFree(data) : cudaFreeHost(data); });
}

Result<void> pin(int device, void* memory, std::size_t bytes) {
  FROND_TRY(use(device));
  return within_patience("pinning memory",
                         [memory, bytes] { return cudaHostRegister(memory, bytes, cudaHostRegisterPortable); });
}
void unpin(int device, void* memory) noexcept {
  end([device, memory]() -> int {
    if (const int failed = cudaSetDevice(device); failed != cudaSuccess) return failed;
    return cudaHostUnregister(memory);
  });
}

Result<void> copy_to_device(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream) {
  return copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
Result<void> copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
Result<void> copy_from_device(std::byte* to, int from_device, const std::byte* from, std::size_t bytes,
                              StreamHandle stream) {
  if (bytes == 0) return {};
  if (given_up()) return given_up_error();
  return status_of(cudaMemcpyPeerAsync(to, current_device(), from, from_device, bytes, stream),
                   "copying from another device");
}
Result<void> fill_with_zeros(std::byte* to, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return {};
  if (given_up()) return given_up_error();
  return status_of(cudaMemsetAsync(to, 0, bytes, stream), "clearing");
}

}  // namespace frond::device
