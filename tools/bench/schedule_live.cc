#include "tools/bench/schedule_live.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <thread>

#include "common/base/check.h"
#include "common/base/mutex.h"

namespace frond::tools::bench {
namespace {

using leaf::engine::Plan;
using leaf::schedule::CostPredictor, leaf::schedule::PredictedCosts, leaf::schedule::QueryJob,
    leaf::schedule::QueryQueues;

struct LiveJob : QueryJob {
  const CostedQuery* query = nullptr;
  PredictedCosts costs;
  Instant arrived;
};

double us_between(Instant from, Instant to) { return std::chrono::duration<double, std::micro>(to - from).count(); }

// One partition after the other on this thread, as a leaf's worker does.
Result<void> search_on_cpu(leaf::engine::QueryEngine& engine, const CostedQuery& query) {
  const SteadyClock clock;
  leaf::engine::SharedFloor floor;
  for (Plan plan : query.plans) {
    plan.floor = &floor;
    auto found = engine.search(std::span(&plan, 1), clock);
    const auto outcome = FROND_TRY(std::move(found[0]));
    if (outcome.hits.size() == plan.k) floor.raise(outcome.hits.back().score);
  }
  return {};
}

Result<void> search_on_gpu(leaf::engine::QueryEngine& engine, std::span<QueryJob* const> jobs) {
  const SteadyClock clock;
  std::vector<Plan> plans;
  for (QueryJob* job : jobs) {
    const auto& of_job = static_cast<LiveJob*>(job)->query->plans;
    plans.insert(plans.end(), of_job.begin(), of_job.end());
  }
  for (auto& outcome : engine.search(plans, clock)) FROND_TRY(std::move(outcome));
  return {};
}

// The queues' owner: its lock, its threads, and who is woken when.
class LiveRun {
 public:
  LiveRun(const SimulationOptions& options, const LiveProcessors& processors, CostPredictor& predictor)
      : options_(options), processors_(processors), predictor_(predictor), queues_(options.queues) {}

  Result<SimulationResult> run(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals) {
    std::vector<LiveJob> jobs(arrivals.size());
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t i = 0; i < options_.queues.workers; ++i) threads.emplace_back([this] { work_on_cpu(); });
      for (std::uint32_t i = 0; i < options_.queues.streams; ++i) threads.emplace_back([this] { work_on_gpu(); });
      const Instant start = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const Instant due = start + std::chrono::nanoseconds(static_cast<std::int64_t>(arrivals[i].at_us * 1000));
        std::this_thread::sleep_until(due);
        arrive(jobs[i], queries[arrivals[i].query], due);
      }
      const MutexLock lock(mutex_);
      stopping_ = true;
      cpu_work_.notify_all();
      gpu_work_.notify_all();
    }
    const MutexLock lock(mutex_);
    if (failure_) return *failure_;
    result_.queues = queues_.state(std::chrono::steady_clock::now());
    set_delays(result_, std::move(delays_));
    return result_;
  }

 private:
  // A delay counts from when the query was due, also if this thread was late.
  void arrive(LiveJob& job, const CostedQuery& query, Instant due) {
    job.query = &query;
    job.arrived = due;
    job.costs = predictor_.predict(query.features);
    job.cpu_us = job.costs.cpu.us;
    job.deadline = Deadline::at(due + std::chrono::microseconds(static_cast<std::int64_t>(options_.deadline_us)));
    const MutexLock lock(mutex_);
    job.gpu_us = job.costs.gpu.us * predictor_.model().scale_of(static_cast<std::size_t>(queues_.typical_batch()));
    const Instant now = std::chrono::steady_clock::now();
    result_.refused += queues_.add(job, now).admitted != QueryQueues::Admitted::kYes;
    settle(now);
  }

  // After each change: reports what was dropped, and wakes one thread for what is wanted. That one does the same.
  void settle(Instant now) FROND_REQUIRES(mutex_) {
    while (queues_.next_dropped() != nullptr) ++result_.dropped;
    const auto wanted = queues_.wanted(now);
    if (wanted.cpu) cpu_work_.notify_one();
    if (wanted.gpu) gpu_work_.notify_one();
  }

  bool is_done() const FROND_REQUIRES(mutex_) { return failure_ || (stopping_ && queues_.waiting() == 0); }

  void work_on_cpu() {
    MutexLock lock(mutex_);
    while (!is_done()) {
      const Instant now = std::chrono::steady_clock::now();
      auto* job = static_cast<LiveJob*>(queues_.next_for_cpu(now));
      settle(now);
      if (job == nullptr) {
        // While stopping, what waits for the other processor may be left to this one later.
        if (stopping_)
          cpu_work_.wait_for(lock.mutex(), std::chrono::milliseconds(1));
        else
          cpu_work_.wait(lock.mutex());
        continue;
      }
      mutex_.unlock();
      const Instant start = std::chrono::steady_clock::now();
      auto searched = search_on_cpu(*processors_.cpu, *job->query);
      const Instant end = std::chrono::steady_clock::now();
      predictor_.observe(job->costs.cpu, us_between(start, end) / job->costs.cpu.us);
      mutex_.lock();
      queues_.cpu_done(*job);
      answered(*job, end, std::move(searched));
    }
    cpu_work_.notify_all();
    gpu_work_.notify_all();
  }

  void work_on_gpu() {
    std::vector<QueryJob*> jobs(options_.queues.max_batch);
    MutexLock lock(mutex_);
    while (!is_done()) {
      Instant now = std::chrono::steady_clock::now();
      const auto due = queues_.wanted(now).gpu;
      if (!due) {
        if (stopping_)
          gpu_work_.wait_for(lock.mutex(), std::chrono::milliseconds(1));
        else
          gpu_work_.wait(lock.mutex());
        continue;
      }
      if (*due > now) {
        gpu_work_.wait_until(lock.mutex(), *due);
        continue;
      }
      const auto batch = queues_.next_batch(jobs, now);
      settle(now);
      if (batch.jobs == 0) continue;
      run_batch(batch, std::span(jobs).first(batch.jobs));
    }
    cpu_work_.notify_all();
    gpu_work_.notify_all();
  }

  void run_batch(const QueryQueues::Batch& batch, std::span<QueryJob* const> jobs) FROND_REQUIRES(mutex_) {
    const std::uint64_t number = ++result_.batches;
    const bool was_alone = batches_running_++ == 0;
    result_.on_gpu += jobs.size();
    mutex_.unlock();
    const Instant start = std::chrono::steady_clock::now();
    const auto searched = search_on_gpu(*processors_.gpu, jobs);
    const Instant end = std::chrono::steady_clock::now();
    mutex_.lock();
    // What other batches take of the device is not this one's cost.
    --batches_running_;
    if (was_alone && result_.batches == number) {
      double predicted = 0;
      for (QueryJob* job : jobs) predicted += static_cast<LiveJob*>(job)->costs.gpu.us;
      const double ratio = us_between(start, end) / predictor_.batch_us(predicted, jobs.size());
      for (QueryJob* job : jobs) predictor_.observe(static_cast<LiveJob*>(job)->costs.gpu, ratio);
    }
    queues_.batch_done(batch.stream, end);
    for (QueryJob* job : jobs) answered(*static_cast<LiveJob*>(job), end, searched);
  }

  void answered(const LiveJob& job, Instant end, const Result<void>& searched) FROND_REQUIRES(mutex_) {
    if (!searched && !failure_) failure_ = searched.error();
    const double delay = us_between(job.arrived, end);
    delays_.push_back(delay);
    result_.late += delay > options_.deadline_us;
  }

  const SimulationOptions& options_;
  const LiveProcessors processors_;
  CostPredictor& predictor_;
  Mutex mutex_;
  std::condition_variable_any cpu_work_, gpu_work_;
  QueryQueues queues_ FROND_GUARDED_BY(mutex_);
  SimulationResult result_ FROND_GUARDED_BY(mutex_);
  std::vector<double> delays_ FROND_GUARDED_BY(mutex_);
  std::optional<Error> failure_ FROND_GUARDED_BY(mutex_);  // the first of an engine
  int batches_running_ FROND_GUARDED_BY(mutex_) = 0;
  bool stopping_ FROND_GUARDED_BY(mutex_) = false;
};

// One query at a time, on the processor that is predicted to take less time for it alone. This thread does it all.
Result<SimulationResult> run_one_at_a_time(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                           const SimulationOptions& options, const LiveProcessors& processors,
                                           const CostPredictor& predictor) {
  SimulationResult result;
  std::vector<double> delays;
  const Instant start = std::chrono::steady_clock::now();
  for (const Arrival& arrival : arrivals) {
    const CostedQuery& query = queries[arrival.query];
    const Instant due = start + std::chrono::nanoseconds(static_cast<std::int64_t>(arrival.at_us * 1000));
    std::this_thread::sleep_until(due);
    const auto costs = predictor.predict(query.features);
    LiveJob job;
    job.query = &query;
    QueryJob* const jobs[] = {&job};
    const bool on_gpu = processors.gpu != nullptr && predictor.batch_us(costs.gpu.us, 1) < costs.cpu.us;
    FROND_TRY(on_gpu ? search_on_gpu(*processors.gpu, jobs) : search_on_cpu(*processors.cpu, query));
    result.on_gpu += on_gpu;
    delays.push_back(us_between(due, std::chrono::steady_clock::now()));
    result.late += delays.back() > options.deadline_us;
  }
  set_delays(result, std::move(delays));
  return result;
}

}  // namespace

Result<SimulationResult> run_live(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                  const SimulationOptions& options, const LiveProcessors& processors,
                                  CostPredictor& predictor) {
  FROND_CHECK(processors.cpu != nullptr && (processors.gpu != nullptr || options.queues.streams == 0));
  if (options.configuration == Configuration::kBetterOneAtATime)
    return run_one_at_a_time(queries, arrivals, options, processors, predictor);
  auto adjusted = options;
  if (options.configuration == Configuration::kGpuOnly) adjusted.queues.workers = 0;
  if (options.configuration == Configuration::kCpuOnly) adjusted.queues.streams = 0;
  return LiveRun(adjusted, processors, predictor).run(queries, arrivals);
}

}  // namespace frond::tools::bench
