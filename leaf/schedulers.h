#pragma once
// The threads that evaluate searches and read documents, and the batches for the GPU.
#include <optional>

#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "leaf/accelerator.h"
#include "leaf/options.h"
#include "leaf/schedule/plan_batcher.h"
#include "leaf/schedule/worker_pool.h"

namespace frond::leaf {

class Schedulers {
 public:
  // `gpu` may be null. All outlive this.
  Schedulers(const Options& options, const Clock& clock, Accelerator* gpu, metrics::Registry& registry);

  schedule::WorkerPool& pool() { return pool_; }
  schedule::WorkerPool& costly() { return costly_; }
  schedule::PlanBatcher* gpu_batcher() { return gpu_batcher_ ? &*gpu_batcher_ : nullptr; }  // null: no GPU is used
  // Waits until all admitted requests are answered, and refuses further ones.
  void drain();

 private:
  std::optional<schedule::PlanBatcher> gpu_batcher_;
  schedule::WorkerPool pool_, costly_;
};

}  // namespace frond::leaf
