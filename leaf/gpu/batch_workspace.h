#pragma once
// The stream, events and memory of one BatchRunner, and how that memory is divided up.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

class BatchWorkspace {
 public:
  static constexpr std::size_t kInputBytes = std::size_t{4} << 20;  // of a batch's plain data
  static constexpr std::size_t kHitPlaces = std::size_t{1} << 19;   // for the hits of all queries of a batch
  static constexpr std::size_t kMinBytes = std::size_t{24} << 20;

  // `bytes` of device memory, at least kMinBytes, else kInvalid. `points`: how many timing events. kDevice.
  static Result<BatchWorkspace> create(int device, std::size_t bytes, int points);

  device::StreamHandle stream() const { return stream_.get(); }
  // Memory for a batch's plain data: pinned host memory, and device memory. kInputBytes each.
  std::byte* staged_input() { return staged_input_.data(); }
  const std::byte* input() const { return input_.data(); }
  // Room for candidates, in keys; the queries of a batch share it.
  std::size_t candidates() const;
  // Pinned host memory that the device writes: kMaxQueries answers and kHitPlaces hits.
  AnswerOfQuery* answers() const { return reinterpret_cast<AnswerOfQuery*>(answered_.data()); }
  const HitOnDevice* hits() const;

  // Sets those fields of `batch` that depend on this memory and on the device. `batch` comes from BatchBuilder and has
  // `input_bytes` of plain data.
  void attach(BatchOnDevice& batch, std::size_t input_bytes) const;

  // Records timing event `point`; nothing without timing events.
  Result<void> mark(std::size_t point);
  const std::vector<device::Event>& points() const { return points_; }
  // Marks the end of all that is in the stream now; ended() tells whether the stream has passed the mark.
  Result<void> mark_end() { return ended_.record(stream_.get()); }
  Result<bool> ended() const { return ended_.done(); }

 private:
  BatchWorkspace(device::Stream stream, device::Event ended, std::vector<device::Event> points, device::Memory input,
                 device::Memory work, device::Memory staged_input, device::Memory answered,
                 const device::Properties& properties);

  device::Stream stream_;
  device::Event ended_;
  std::vector<device::Event> points_;
  device::Memory input_, work_;             // device
  device::Memory staged_input_, answered_;  // pinned host memory
  std::uint32_t processors_;
  bool early_;  // kernels may be launched early (early_launch.cuh)
};

}  // namespace frond::leaf::gpu
