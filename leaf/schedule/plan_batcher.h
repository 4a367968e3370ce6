#pragma once
// Collects plans of many searches for a processor that is best at many at once. A plan that finds the processor idle
// goes at once; those that come while it works wait for its next batch, and no longer than the window once a thread is
// free to take them: so batches are as large as the load makes them, and a query alone is not held up.
//
// Whoever submits goes on with other work; the answer comes on one of the batcher's threads. What waits is bounded, and
// refused beyond it: then the caller does the work itself. Deadlines are the processor's to keep: a plan that is late
// when its batch starts, or when it ends, gets kDeadline.
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
    std::size_t threads = 2;                // batches on the way at a time: while one is answered, another is started
    std::size_t most_waiting = 4096;        // plans; more are refused
    std::size_t most_of_a_batch = 512;      // plans of one batch
    std::chrono::microseconds window{200};  // how long a plan waits for others while another batch is on the way
  };
  // One answer a plan, in order; none: the plan must be evaluated elsewhere.
  using Answer = std::optional<Result<engine::Outcome>>;
  using Search = std::function<std::vector<Answer>(std::span<const engine::Plan>)>;
  // Called once, on a thread of the batcher's. Takes care of its own failures; what it throws nevertheless ends with
  // it.
  using Done = std::function<void(Answer)>;

  // `search` is called by several threads at a time. `registry` may be null.
  PlanBatcher(Options options, Search search, metrics::Registry* registry);
  ~PlanBatcher();

  // False: too much waits, or drain() was called; `done` is not called then. Any thread.
  bool submit(engine::Plan plan, Done done);
  // Takes no more, and returns when all that was taken is answered. Not from a Done.
  void drain();

 private:
  struct Waiting {
    engine::Plan plan;
    Done done;
  };
  void work();
  std::list<Waiting> next_batch();
  bool is_full() const FROND_REQUIRES(mutex_) { return waiting_.size() >= options_.most_of_a_batch; }

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
