#pragma once
// How long the steps of batches took on the device, for measurements. Errors: kDevice.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"

namespace frond::indexer::invert::gpu {

// Steps of a batch, in order. Those of different streams may run at once.
enum class TextStep : std::uint8_t { kCopy, kCut, kFind, kPairs, kSort, kPostings };
inline constexpr std::size_t kTextSteps = 6;

// One thread. Where it is off, calls do nothing.
class StepTimes {
 public:
  // copies: how many copies of texts may be on their way at once.
  static Result<StepTimes> create(bool on, std::size_t copies);
  // Around what a step has in a stream; `copy` counts for TextStep::kCopy only. A step that was begun before has run.
  Result<void> begin(TextStep step, device::StreamHandle stream, std::size_t copy = 0);
  Result<void> end(TextStep step, device::StreamHandle stream, std::size_t copy = 0);
  // Of all steps that have run, by TextStep.
  Result<std::array<double, kTextSteps>> milliseconds();

 private:
  struct Span {
    device::Event begin, end;
    bool is_open = false;  // not yet in the sum
  };
  explicit StepTimes(std::vector<Span> spans) : spans_(std::move(spans)) {}
  // Copies are behind the steps.
  static std::size_t span_of(TextStep step, std::size_t copy) {
    return step == TextStep::kCopy ? kTextSteps + copy : static_cast<std::size_t>(step);
  }
  Result<void> collect(std::size_t span);

  std::vector<Span> spans_;  // empty: off
  std::array<double, kTextSteps> milliseconds_{};
};

}  // namespace frond::indexer::invert::gpu
