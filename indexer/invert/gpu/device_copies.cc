#include "indexer/invert/gpu/device_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frond::indexer::invert::gpu {

Result<StagedCopies> StagedCopies::create() {
  auto first = FROND_TRY(device::Event::create());
  auto second = FROND_TRY(device::Event::create());
  return StagedCopies({std::move(first), std::move(second)});
}

Result<void> StagedCopies::upload(std::byte* to, const std::byte* from, std::size_t bytes,
                                  device::StreamHandle stream) {
  for (std::size_t at = 0; at < bytes; at += kStageBytes, next_ = 1 - next_) {
    const std::size_t some = std::min(kStageBytes, bytes - at);
    FROND_TRY(copied_[next_].wait());
    std::memcpy(stage(next_), from + at, some);
    FROND_TRY(device::copy_to_device(to + at, stage(next_), some, stream));
    FROND_TRY(copied_[next_].record(stream));
  }
  return {};
}

// A part is on its way while the one before is copied out of its stage.
Result<void> StagedCopies::download(std::byte* to, const std::byte* from, std::size_t bytes,
                                    device::StreamHandle stream) {
  const std::size_t parts = (bytes + kStageBytes - 1) / kStageBytes;
  const auto size_of = [&](std::size_t part) { return std::min(kStageBytes, bytes - part * kStageBytes); };
  for (std::size_t part = 0; part <= parts && parts > 0; ++part) {
    if (part < parts) {
      FROND_TRY(copied_[part % 2].wait());
      FROND_TRY(device::copy_to_host(stage(part % 2), from + part * kStageBytes, size_of(part), stream));
      FROND_TRY(copied_[part % 2].record(stream));
    }
    if (part == 0) continue;
    FROND_TRY(copied_[(part - 1) % 2].wait());
    std::memcpy(to + (part - 1) * kStageBytes, stage((part - 1) % 2), size_of(part - 1));
  }
  return {};
}

}  // namespace frond::indexer::invert::gpu
