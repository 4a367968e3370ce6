#pragma once
// The threads that evaluate searches and read documents, and the queues in front of CPU and GPU.
#include <optional>

#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "leaf/accelerator.h"
#include "leaf/options.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"

namespace frond::leaf {

class Schedulers {
 public:
  // `gpu` may be null. All outlive this.
  Schedulers(const Options& options, schedule::CostModel model, const Clock& clock, Accelerator* gpu,
             metrics::Registry& registry);

  schedule::WorkerPool& pool() { return pool_; }
  schedule::WorkerPool& costly() { return costly_; }
  schedule::QueryScheduler* queries() { return queries_ ? &*queries_ : nullptr; }  // null: no GPU is used
  // Waits until all admitted requests are answered, and refuses further ones.
  void drain();

 private:
  schedule::WorkerPool pool_, costly_;
  std::optional<schedule::QueryScheduler> queries_;
};

}  // namespace frond::leaf
