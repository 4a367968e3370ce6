#pragma once
// What copies to and from a device share: parts of one piece of memory, stages of pinned memory, places of kernels.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/result.h"
#include "common/device/runtime.h"

namespace frond::indexer::invert::gpu {

constexpr std::size_t in_granules(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// Hands out parts of one piece of memory, one behind the other; without memory, counts them.
class DeviceParts {
 public:
  explicit DeviceParts(std::byte* at) : at_(at) {}
  template <class T>
  T* next(std::size_t count) {
    used_ += in_granules(count * sizeof(T));
    return at_ == nullptr ? nullptr : reinterpret_cast<T*>(std::exchange(at_, at_ + in_granules(count * sizeof(T))));
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* at_;
  std::size_t used_ = 0;
};

template <class T>
std::byte* bytes_of(T* at) {
  return reinterpret_cast<std::byte*>(at);
}
template <class T>
const std::byte* bytes_of(const T* at) {
  return reinterpret_cast<const std::byte*>(at);
}

// Where kernels run.
struct KernelPlace {
  std::uint32_t processors = 1;
  std::byte* space = nullptr;  // for CUB
  std::size_t space_bytes = 0;
  device::StreamHandle stream = nullptr;
};

// Copies between the device and memory that is not pinned, by way of two stages in pinned memory: one is copied while
// the other is filled or read. Errors: kDevice.
// One thread.
class StagedCopies {
 public:
  static constexpr std::size_t kStages = 2;
  static constexpr std::size_t kStageBytes = std::size_t{1} << 20;
  static Result<StagedCopies> create();
  // Pinned memory of kStages * kStageBytes, which lives longer. Before all others.
  void use(std::byte* pinned) { pinned_ = pinned; }

  // Returns when `from` may change; the copy runs in the stream.
  Result<void> upload(std::byte* to, const std::byte* from, std::size_t bytes, device::StreamHandle stream);
  // Waits for it, so for all that is in the stream.
  Result<void> download(std::byte* to, const std::byte* from, std::size_t bytes, device::StreamHandle stream);

  // For those who copy to and from stages themselves. Whose copy has run when the event is done: set by them.
  std::byte* stage(std::size_t i) const { return pinned_ + i * kStageBytes; }
  device::Event& copied(std::size_t i) { return copied_[i]; }

 private:
  explicit StagedCopies(std::array<device::Event, kStages> copied) : copied_(std::move(copied)) {}
  std::byte* pinned_ = nullptr;
  std::array<device::Event, kStages> copied_;
  std::size_t next_ = 0;  // the stage for the next part, so that a small upload does not wait for the one before
};

}  // namespace frond::indexer::invert::gpu
