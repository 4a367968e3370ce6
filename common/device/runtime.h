#pragma once
// The CUDA runtime as objects: what owns is move-only and frees in its destructor, what can fail says so, and every
// operation names its stream. The only folder that calls the runtime; this header needs none of CUDA's.
//
// Errors are kDevice; the message says what was tried. Most are permanent (an illegal access ends the context), so the
// owner of a device stops using it at the first one; nothing here retries. The runtime keeps a current device for each
// thread: call use() before what is done on a device (devices.h). Nothing here blocks for longer than patience(): a
// device that takes longer is given up (patience.h), and then everything on it fails at once.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/device/devices.h"

struct CUstream_st;
struct CUevent_st;

namespace frond::device {

using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;

// Turns a CUDA status (0 is success) into a Result; `what` was tried.
Result<void> status_of(int cuda_error, const char* what);

struct Properties {
  std::string name;
  std::size_t memory_bytes = 0;  // of the device
  std::size_t free_bytes = 0;    // now
  int processors = 0;            // streaming multiprocessors
  int major = 0, minor = 0;      // compute capability
};
// How many devices there are; 0 also where there is no driver.
int count_devices();
Result<Properties> properties_of(int device);
Result<void> use(int device);
// Calls on another device, and goes back to the one that this thread has chosen. Errors of use() and of the call.
template <class Call>
auto on_device(int device, const Call& call) -> decltype(call()) {
  const int before = current_device();
  FROND_TRY(use(device));
  auto result = call();
  if (before >= 0) FROND_TRY(use(before));
  return result;
}
// Lets this thread's device read another one's memory, if the machine can: copies take a way through the host
// otherwise.
void reach(int other);

// Operations on one stream run in order; those on different streams may overlap.
class Stream {
 public:
  static Result<Stream> create();
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();
  StreamHandle get() const { return handle_; }

 private:
  explicit Stream(StreamHandle handle) : handle_(handle) {}
  StreamHandle handle_;
};

// A point in a stream that others can wait for.
class Event {
 public:
  // Only events made with timing can be asked for milliseconds_since().
  static Result<Event> create(bool timing = false);
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();
  Result<void> record(StreamHandle stream);
  // Whether the work before the last record() has run; true if nothing was recorded.
  Result<bool> done() const;
  // Blocks this thread until then, or until the device is given up.
  Result<void> wait() const;
  Result<void> make_wait(StreamHandle stream) const;  // later work in the stream runs after this
  Result<float> milliseconds_since(const Event& start) const;

 private:
  explicit Event(EventHandle handle) : handle_(handle) {}
  EventHandle handle_;
};

// Memory of the device (aligned to 256 bytes), or pinned memory of the host. Copies run at full speed and beside other
// work only if the host's side is pinned.
enum class Place : std::uint8_t { kDevice, kPinnedHost };
class Memory {
 public:
  static Result<Memory> create(Place place, std::size_t bytes);
  Memory(Memory&& other) noexcept
      : place_(other.place_), data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory();
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Memory(Place place, std::byte* data, std::size_t bytes) : place_(place), data_(data), bytes_(bytes) {}
  Place place_;
  std::byte* data_;
  std::size_t bytes_;
};

// Pins memory that the host has, from the begin of a page on: copies run as from Place::kPinnedHost. unpin() comes
// before it is freed, and is for destructors, too. Any thread; they choose the device for this one.
Result<void> pin(int device, void* memory, std::size_t bytes);
void unpin(int device, void* memory) noexcept;

// Asynchronous. Host memory is pinned, and unchanged until the copy has run. Zero bytes are allowed.
Result<void> copy_to_device(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream);
Result<void> copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes, StreamHandle stream);
// From the memory of another device to that of this thread's. What is there has been written.
Result<void> copy_from_device(std::byte* to, int from_device, const std::byte* from, std::size_t bytes,
                              StreamHandle stream);
Result<void> fill_with_zeros(std::byte* to, std::size_t bytes, StreamHandle stream);

}  // namespace frond::device
