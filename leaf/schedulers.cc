#include "leaf/schedulers.h"

#include <algorithm>
#include <random>
#include <span>
#include <utility>

namespace frond::leaf {

Schedulers::Schedulers(const Options& options, schedule::CostModel model, const Clock& clock, Accelerator* gpu,
                       metrics::Registry& registry)
    : pool_({.workers = options.cpu_threads,
             .queue_limit = options.queue_limit,
             .refuse_late = gpu == nullptr,
             .secret = std::random_device()()},
            clock, &registry),
      costly_({.workers = options.costly_threads,
               .queue_limit = options.queue_limit,
               .work = schedule::WorkerPool::Options::Work::kCostly,
               .secret = std::random_device()()},
              clock, &registry) {
  if (!gpu) {
    schedule::export_no_queries(registry);
    return;
  }
  queries_.emplace(
      // The other half makes plans, sends answers and reads documents.
      schedule::QueryScheduler::Options{.cpu_workers = static_cast<std::uint32_t>((options.cpu_threads + 1) / 2),
                                        .gpu_batches = gpu->streams(),
                                        .max_waiting = options.gpu_queue_limit,
                                        .max_batch = 512 * std::max(1u, gpu->working()),
                                        .model = std::move(model),
                                        .secret = std::random_device()()},
      schedule::QueryScheduler::Gpu{
          .search = [gpu, &clock](std::span<const engine::Plan> plans,
                                  engine::BatchTimes& times) { return gpu->try_search(plans, clock, &times); },
          .lost = [gpu] { return gpu->lost(); },
          .devices = [gpu] { return gpu->working(); }},
      pool_, clock, &registry);
}

void Schedulers::drain() {
  // A request may move from one part to another (to the GPU, back, then to its second wave), so each part is drained
  // three times.
  for (int step = 0; step < 3; ++step) {
    pool_.drain();
    costly_.drain();
    if (queries_) queries_->drain();
  }
}

}  // namespace frond::leaf
