#include "common/device/launch.cuh"
#include "tools/papers/term_at_a_time/term_at_a_time_kernels.h"

namespace frond::tools::papers {
namespace {

constexpr std::uint32_t kThreads = 256;

__global__ void __launch_bounds__(kThreads) add_scores_of(Scoring of, scoring::Score* scores) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= of.count) return;
  const std::uint32_t docid = of.docids[i];
  scores[docid] += scoring::contribution(of.weight, of.frequencies[i], __ldg(of.lengths + docid), of.norm);
}

}  // namespace

Result<void> add_scores(const Scoring& postings, scoring::Score* scores, device::StreamHandle stream) {
  return device::launch("add_scores", add_scores_of, (postings.count + kThreads - 1) / kThreads, kThreads, stream,
                        postings, scores);
}

}  // namespace frond::tools::papers
