#pragma once
// Collects queries for a processor that works best on many at once. A query is one entry: the plans of all its
// partitions, which are answered together. If the processor is idle, a query starts at once. Queries that come while it
// works wait for its next batch; once a thread is free, they wait at most for the window. So batches grow with the
// load, and a single query is not delayed.
//
// submit() does not block. The answers of a batch go to the scheduler of its caller as one group of tasks, so the
// batcher's threads do nothing but feed the processor. The number of waiting queries is bounded; beyond it submit()
// refuses, and the caller does the work itself. The processor checks deadlines: a plan that is past its deadline when
// its batch starts or ends gets kDeadline.
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
#include "leaf/schedule/scheduler.h"

namespace frond::leaf::schedule {

class PlanBatcher {
 public:
  struct Options {
    std::size_t threads = 2;                // max batches in flight: while one is answered, another starts
    std::size_t max_waiting = 4096;         // queries; more are refused
    std::size_t max_batch = 512;            // plans; a query that has more is a batch of its own
    std::chrono::microseconds window{200};  // max wait for more queries while another batch is in flight
  };
  // One answer per plan, in order. Empty: the plan must be evaluated elsewhere.
  using Answer = std::optional<Result<engine::Outcome>>;
  using Search = std::function<std::vector<Answer>(std::span<const engine::Plan>)>;
  // Gets one answer per plan of the query, in order. Called once. Handles its own failures; an exception that it throws
  // is discarded.
  using Done = std::function<void(std::vector<Answer>)>;

  // Several threads may call `search` at a time. `registry` may be null.
  PlanBatcher(Options options, Search search, metrics::Registry* registry);
  ~PlanBatcher();

  // Moves from `plans`, at least one, if it returns true. False: too many queries wait, or drain() was called; `done`
  // is then not called. `answers` runs `done` as a task (Lane::kContinue) and outlives the batcher; null: a thread of
  // the batcher calls it. Any thread.
  bool submit(std::vector<engine::Plan>& plans, Done done, Scheduler* answers);
  // Refuses new queries, and returns when the answers of all accepted ones are submitted to their schedulers. Must not
  // be called from a Done.
  void drain();

 private:
  struct Waiting {
    std::vector<engine::Plan> plans;
    Done done;
    Scheduler* answers = nullptr;
  };
  using Queue = std::list<Waiting>;
  void work();
  Queue next_batch();
  bool is_full() const FROND_REQUIRES(mutex_) { return plans_waiting_ >= options_.max_batch; }
  std::vector<Answer> search(Queue& batch);
  static void answer(Queue& batch, std::vector<Answer> answers);

  const Options options_;
  const Search search_;
  metrics::Histogram size_;
  metrics::Counter refused_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  Queue waiting_ FROND_GUARDED_BY(mutex_);
  std::size_t plans_waiting_ FROND_GUARDED_BY(mutex_) = 0;
  std::size_t running_ FROND_GUARDED_BY(mutex_) = 0;  // batches
  bool draining_ FROND_GUARDED_BY(mutex_) = false, stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::schedule
