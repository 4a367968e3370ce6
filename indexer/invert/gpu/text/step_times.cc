#include "indexer/invert/gpu/text/step_times.h"

#include <utility>

namespace frond::indexer::invert::gpu {

Result<StepTimes> StepTimes::create(bool on, std::size_t copies) {
  std::vector<Span> spans;
  for (std::size_t i = 0; on && i < kTextSteps + copies; ++i) {
    auto begin = FROND_TRY(device::Event::create(/*timing=*/true));
    auto end = FROND_TRY(device::Event::create(/*timing=*/true));
    spans.push_back({std::move(begin), std::move(end)});
  }
  return StepTimes(std::move(spans));
}

Result<void> StepTimes::begin(TextStep step, device::StreamHandle stream, std::size_t copy) {
  if (spans_.empty()) return {};
  const std::size_t span = span_of(step, copy);
  FROND_TRY(collect(span));
  return spans_[span].begin.record(stream);
}

Result<void> StepTimes::end(TextStep step, device::StreamHandle stream, std::size_t copy) {
  if (spans_.empty()) return {};
  Span& span = spans_[span_of(step, copy)];
  span.is_open = true;
  return span.end.record(stream);
}

Result<void> StepTimes::collect(std::size_t at) {
  Span& span = spans_[at];
  if (!span.is_open || !FROND_TRY(span.end.done())) return {};
  milliseconds_[at < kTextSteps ? at : 0] += FROND_TRY(span.end.milliseconds_since(span.begin));
  span.is_open = false;
  return {};
}

Result<std::array<double, kTextSteps>> StepTimes::milliseconds() {
  for (std::size_t span = 0; span < spans_.size(); ++span) FROND_TRY(collect(span));
  return milliseconds_;
}

}  // namespace frond::indexer::invert::gpu
