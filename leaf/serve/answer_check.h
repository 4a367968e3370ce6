#pragma once
// Compares a share of the GPU's answers with the CPU's, which must be the same to the byte. Counts them, and logs each
// difference with what is needed to ask again. Thread-safe.
#include <atomic>
#include <cstdint>
#include <vector>

#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::serve {

class AnswerCheck {
 public:
  // `share` of the answers, 0 .. 1, spread evenly. `log` outlives this; `registry` may be null.
  AnswerCheck(double share, Logger& log, metrics::Registry* registry);

  // Whether to compare the next answer.
  bool due();
  // Over the same partitions. Returns whether both are the same.
  struct Answer {
    std::vector<topk::Hit> hits;  // the best, or the first
    std::uint64_t matches = 0;    // compared where the request ranks nothing: then both have counted all
  };
  bool same(const Answer& gpu, const Answer& cpu, const wire::SearchRequest& request, engine::Mode mode);

 private:
  const std::uint32_t step_;  // of 2^32: an answer is due whenever the sum of steps overflows
  std::atomic<std::uint32_t> sum_{0};
  Logger& log_;
  metrics::Counter checked_, mismatched_;
};

}  // namespace frond::leaf::serve
