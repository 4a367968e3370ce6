#pragma once
// Collects plans of many searches for a processor that works best on many at once. If the processor is idle, a plan
// starts at once. Plans that come while it works wait for its next batch; once a thread is free, they wait at most for
// the window. So batches grow with the load, and a single query is not delayed.
//
// submit() does not block; the answer comes on one of the batcher's threads. The number of waiting plans is bounded;
// beyond it submit() refuses, and the caller does the work itself. The processor checks deadlines: a plan that is past
// its deadline when its batch starts or ends gets kDeadline.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::schedule {

class PlanBatcher {
 public:
  struct Options {
    std::size_t threads = 2;                // max batches in flight: while one is answered, another starts
    std::size_t max_waiting = 4096;         // plans; more are refused
    std::size_t max_batch = 512;            // plans
    std::chrono::microseconds window{200};  // max wait for more plans while another batch is in flight
  };
  // One answer per plan, in order. Empty: the plan must be evaluated elsewhere.
  using Answer = std::optional<Result<engine::Outcome>>;
  using Search = std::function<std::vector<Answer>(std::span<const engine::Plan>)>;
  // Called once, on a thread of the batcher. Handles its own failures; an exception that it throws is discarded.
  using Done = std::function<void(Answer)>;

  // Several threads may call `search` at a time. `registry` may be null.
  PlanBatcher(Options options, Search search, metrics::Registry* registry);
  ~PlanBatcher();

  // False: too many plans wait, or drain() was called; `done` is then not called. Any thread.
  bool submit(engine::Plan plan, Done done);
  // Refuses new plans, and returns when all accepted ones are answered. Must not be called from a Done.
  void drain();

 private:
  struct Waiting {
    engine::Plan plan;
    Done done;
  };
  void work();
  std::list<Waiting> next_batch();
  bool is_full() const FROND_REQUIRES(mutex_) { return waiting_.size() >= options_.max_batch; }

  const Options options_;
  const Search search_;
  metrics::Histogram size_;
  metrics::Counter refused_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Waiting> waiting_ FROND_GUARDED_BY(mutex_);
  std::size_t running_ FROND_GUARDED_BY(mutex_) = 0;  // batches
  bool draining_ FROND_GUARDED_BY(mutex_) = false, stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::schedule
