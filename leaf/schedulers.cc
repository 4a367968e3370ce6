#include "leaf/schedulers.h"

#include <span>

namespace frond::leaf {

Schedulers::Schedulers(const Options& options, const Clock& clock, Accelerator* gpu, metrics::Registry& registry)
    : pool_({options.cpu_threads, options.queue_limit}, clock, &registry),
      costly_({options.costly_threads, options.queue_limit, schedule::WorkerPool::Options::Work::kCostly}, clock,
              &registry) {
  if (gpu)
    gpu_batcher_.emplace(
        schedule::PlanBatcher::Options{.max_waiting = options.gpu_queue_limit, .window = options.gpu_window},
        [gpu, &clock](std::span<const engine::Plan> plans) { return gpu->try_search(plans, clock); }, &registry);
}

void Schedulers::drain() {
  // A request may move from one part to another (to the GPU, back, then to its second wave), so each part is drained
  // three times.
  for (int step = 0; step < 3; ++step) {
    pool_.drain();
    costly_.drain();
    if (gpu_batcher_) gpu_batcher_->drain();
  }
}

}  // namespace frond::leaf
