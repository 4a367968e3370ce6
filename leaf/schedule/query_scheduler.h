#pragma once
// Runs searches whose plans are made, on the CPU's workers or in batches on the GPU. Where and when each runs is
// decided by QueryQueues (Ding et al. 2009, 9) with the costs of a CostPredictor; this class adds the lock, the threads
// that run batches, and the way to the workers.
//
// A worker that has made a query's plans submits it. If the query is for the CPU and no other task waits, the same
// worker goes on with it at once. Otherwise a task of the lowest priority takes what is best for the CPU when a worker
// has nothing else to do: making plans and sending answers come first, because they keep both processors busy. At most
// one such task waits at a time; it submits the next one. So a query costs the workers no wake-up of its own.
//
// There is a thread for each batch in flight. It takes a batch when QueryQueues says so, runs it, and submits its
// answers to the workers as one group of tasks.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "leaf/engine/plan.h"
#include "leaf/schedule/cost_model.h"
#include "leaf/schedule/query_queues.h"
#include "leaf/schedule/scheduler.h"

namespace frond::leaf::schedule {

// A plan's answer from the GPU. Empty: the plan must be evaluated on the CPU.
using GpuAnswer = std::optional<Result<engine::Outcome>>;

// How a query ran, for its profile.
struct QueryRun {
  Instant taken = Instant::min();                    // from its queue; Instant::min(): not yet
  std::uint32_t batch_queries = 0, batch_plans = 0;  // of the batch; 0: the CPU took it
  engine::BatchTimes times;                          // likewise, without had_lists and no_room
  bool had_lists = false;                            // all its lists were on the GPU
  bool no_room = false;                              // BatchTimes::no_room of any of its plans
};

// A search, made by its owner and shared with the scheduler while it waits or is in a batch.
class Query : public QueryJob {
 public:
  virtual ~Query() = default;

  std::vector<engine::Plan> plans;  // at least one; moved from when a batch takes the query
  PredictedCosts costs;             // by QueryScheduler::predict()
  // Set before search_on_cpu() or take_answers() is called; null: not wanted. The owner keeps it until then.
  QueryRun* ran = nullptr;

  // A task of the pool calls one of these for each submit() that returned kYes. They handle their own failures; an
  // exception that they throw is discarded. If memory runs out, none may be called; the scheduler then lets go of the
  // query.
  virtual void search_on_cpu() = 0;  // then the owner calls QueryScheduler::cpu_done(); an exception counts as that
  // One answer per plan, in order.
  virtual void take_answers(std::vector<GpuAnswer> answers) = 0;
  virtual void drop() = 0;  // its deadline has passed or cannot be met any more, or it is cancelled

 private:
  friend class QueryScheduler;
  std::shared_ptr<Query> self_;          // while the scheduler has it
  std::shared_ptr<Query> dropped_next_;  // Consequences::dropped
  bool on_worker_ = false;               // it counts as one of cpu_workers; under the scheduler's lock
};

// The metrics of a leaf that has no QueryScheduler: nothing waits, and nothing is refused.
void export_no_queries(metrics::Registry& registry);

class QueryScheduler {
 public:
  struct Options {
    std::uint32_t cpu_workers = 1;   // queries that the CPU runs at a time
    std::uint32_t gpu_batches = 3;   // batches in flight; at least 1
    std::size_t max_waiting = 4096;  // queries; more are refused
    std::size_t max_batch = 512;     // queries
    CostModel model = default_cost_model();
    std::uint32_t secret = ClientTimes::kUsualSecret;
  };
  struct Gpu {
    // One answer per plan, in order. Several threads at a time.
    std::function<std::vector<GpuAnswer>(std::span<const engine::Plan>, engine::BatchTimes&)> search;
    std::function<bool()> lost;  // it answers nothing any more
    // Devices that work at the same time, so that a query adds a share of its predicted time; empty: one.
    std::function<std::uint32_t()> devices{};
  };
  enum class Admitted {
    kYes,
    kFull,
    kTooLate,  // predicted to miss its deadline
    kClosed    // drain() was called
  };

  // `pool` runs the queries' tasks. `registry` may be null.
  // REQUIRES: options.gpu_batches >= 1; the pool outlives this.
  QueryScheduler(const Options& options, Gpu gpu, Scheduler& pool, const Clock& clock, metrics::Registry* registry);
  ~QueryScheduler();

  // Costs of a query; set them and the members of QueryJob, except cpu_us and gpu_us, before submit().
  PredictedCosts predict(const QueryFeatures& features) const { return predictor_.predict(features); }
  // A task of the pool calls it. If it returns kYes, the query may already be running, or have ended.
  Admitted submit(const std::shared_ptr<Query>& query);
  // The query's search on the CPU has ended; the CPU worked for `spent` on it, on all threads together. Any thread.
  void cpu_done(Query& query, std::chrono::microseconds spent);
  // Refuses new queries, and returns when none waits and the answers of all batches are submitted to the pool. Tasks
  // must not call it.
  void drain();
  QueryQueues::State state() const;
  const CostPredictor& predictor() const { return predictor_; }

 private:
  // What follows from a change of the queues; done after the lock is released. Neither step throws: what was taken from
  // the queues before is not lost.
  struct Consequences {
    std::shared_ptr<Query> dropped;  // the first of a list
    bool run_on_cpu = false, wake_gpu = false, wake_all = false;
  };
  struct Batch {
    std::vector<QueryJob*> jobs;
    std::vector<std::shared_ptr<Query>> owned;  // the queries while they are answered
    std::size_t count = 0;
    std::uint32_t stream = 0;
    Instant started{};
    std::size_t plans = 0;
    bool profiled = false;  // a query of it wants to know how it ran
    engine::BatchTimes times;
    std::span<QueryJob*> queries() { return std::span(jobs).first(count); }
  };
  double devices() const { return gpu_.devices ? std::max(1.0, static_cast<double>(gpu_.devices())) : 1.0; }
  Consequences consequences(Instant now) FROND_REQUIRES(mutex_);
  void apply(Consequences what);
  void run_on_cpu();
  void end_on_cpu(Query& query);
  void run_batches();
  bool next_batch(Batch& batch);
  std::vector<GpuAnswer> search(Batch& batch);
  void learn(Batch& batch, Instant now) FROND_REQUIRES(mutex_);
  static void tell(Batch& batch);
  void answer(Batch& batch, std::vector<GpuAnswer> answers);
  void export_state(metrics::Registry& registry);

  const Options options_;
  const Gpu gpu_;
  Scheduler& pool_;
  const Clock& clock_;
  CostPredictor predictor_;
  metrics::Histogram batch_plans_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  QueryQueues queues_ FROND_GUARDED_BY(mutex_);
  bool cpu_task_waits_ FROND_GUARDED_BY(mutex_) = false;  // run_on_cpu() is submitted to the pool
  std::size_t idle_threads_ FROND_GUARDED_BY(mutex_) = 0;
  Instant wake_at_ FROND_GUARDED_BY(mutex_) = Instant::max();  // an idle thread looks again then
  std::size_t batches_ FROND_GUARDED_BY(mutex_) = 0;           // in flight, until their answers are submitted
  Instant batch_ended_ FROND_GUARDED_BY(mutex_) = Instant::min();
  bool draining_ FROND_GUARDED_BY(mutex_) = false, stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::schedule
