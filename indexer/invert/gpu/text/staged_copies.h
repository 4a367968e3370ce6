#pragma once
// Copies between the device and memory that is not pinned, by way of two stages in pinned memory: one is copied while
// the other is filled or read. Errors: kDevice.
#include <array>
#include <cstddef>
#include <utility>

#include "common/base/result.h"
#include "common/device/runtime.h"

namespace frond::indexer::invert::gpu {

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
