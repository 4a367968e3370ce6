#include "tools/bench/schedule/schedule_live.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <thread>

#include "common/base/check.h"
#include "common/base/mutex.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"

namespace frond::tools::bench {
namespace {

using leaf::engine::Plan;
using leaf::schedule::CostPredictor, leaf::schedule::GpuAnswer, leaf::schedule::QueryScheduler;

Instant now() { return std::chrono::steady_clock::now(); }
double us_between(Instant from, Instant to) { return std::chrono::duration<double, std::micro>(to - from).count(); }

// One partition after the other on this thread, as a leaf's worker does.
Result<void> search_on_cpu(leaf::engine::QueryEngine& engine, std::span<const Plan> plans) {
  const SteadyClock clock;
  leaf::engine::SharedFloor floor;
  for (Plan plan : plans) {
    plan.floor = &floor;
    auto found = engine.search(std::span(&plan, 1), clock);
    const auto outcome = FROND_TRY(std::move(found[0]));
    if (outcome.hits.size() == plan.k) floor.raise(outcome.hits.back().score);
  }
  return {};
}

// What became of the queries.
class Ledger {
 public:
  void answered(double delay_us, double deadline_us, const Result<void>& searched) {
    const MutexLock lock(mutex_);
    if (!searched && !failure_) failure_ = searched.error();
    delays_.push_back(delay_us);
    result_.late += delay_us > deadline_us;
    ended();
  }
  void refused() {
    const MutexLock lock(mutex_);
    ++result_.refused;
    ended();
  }
  void dropped() {
    const MutexLock lock(mutex_);
    ++result_.dropped;
    ended();
  }
  void was_on_gpu() {
    const MutexLock lock(mutex_);
    ++result_.on_gpu;
  }
  void batch() {
    const MutexLock lock(mutex_);
    ++result_.batches;
  }
  // Until so many queries are answered, refused or dropped.
  void await(std::size_t queries) {
    MutexLock lock(mutex_);
    awaited_ = queries;
    while (ended_ < awaited_) all_ended_.wait(lock.mutex());
  }
  Result<SimulationResult> take(const leaf::schedule::QueryQueues::State& queues) {
    const MutexLock lock(mutex_);
    if (failure_) return *failure_;
    result_.queues = queues;
    set_delays(result_, std::move(delays_));
    return result_;
  }

 private:
  void ended() FROND_REQUIRES(mutex_) {
    if (++ended_ == awaited_) all_ended_.notify_all();
  }

  Mutex mutex_;
  std::condition_variable_any all_ended_;
  std::size_t ended_ FROND_GUARDED_BY(mutex_) = 0, awaited_ FROND_GUARDED_BY(mutex_) = 0;
  SimulationResult result_ FROND_GUARDED_BY(mutex_);
  std::vector<double> delays_ FROND_GUARDED_BY(mutex_);
  std::optional<Error> failure_ FROND_GUARDED_BY(mutex_);  // the first of an engine
};

struct LiveRun {
  const SimulationOptions& options;
  const LiveProcessors processors;
  Ledger ledger;
  QueryScheduler* scheduler = nullptr;
};

class LiveQuery final : public leaf::schedule::Query {
 public:
  // `due`: when it arrives, from which its delay counts, also if a thread was late.
  LiveQuery(LiveRun& run, const CostedQuery& query, Instant due) : run_(run), query_(query), due_(due) {
    const auto span = std::chrono::microseconds(static_cast<std::int64_t>(run.options.deadline_us));
    deadline = Deadline::at(due + span);
    for_cpu = run.options.configuration != Configuration::kGpuOnly;
    for_gpu = run.options.configuration != Configuration::kCpuOnly && run.processors.gpu != nullptr;
  }
  // On a worker, as a leaf's search is planned and submitted.
  static void submit(const std::shared_ptr<LiveQuery>& query) {
    LiveRun& run = query->run_;
    query->plans = query->query_.plans;
    query->costs = run.scheduler->predict(query->query_.features);
    if (run.scheduler->submit(query) != QueryScheduler::Admitted::kYes) run.ledger.refused();
  }

  void search_on_cpu() override {
    const Instant start = now();
    const auto searched = bench::search_on_cpu(*run_.processors.cpu, query_.plans);
    const Instant end = now();
    run_.scheduler->cpu_done(*this, std::chrono::duration_cast<std::chrono::microseconds>(end - start));
    answered(end, searched);
  }
  void take_answers(std::vector<GpuAnswer> answers) override {
    const auto searched = finish(answers);
    run_.ledger.was_on_gpu();
    answered(now(), searched);
  }
  void drop() override { run_.ledger.dropped(); }

 private:
  // What the GPU leaves to the CPU is searched there.
  Result<void> finish(std::span<GpuAnswer> answers) const {
    for (GpuAnswer& answer : answers) {
      if (!answer) return bench::search_on_cpu(*run_.processors.cpu, query_.plans);
      FROND_TRY(std::move(*answer));
    }
    return {};
  }
  void answered(Instant end, const Result<void>& searched) {
    run_.ledger.answered(us_between(due_, end), run_.options.deadline_us, searched);
  }

  LiveRun& run_;
  const CostedQuery& query_;
  const Instant due_;
};

std::vector<GpuAnswer> answers_of_gpu(LiveRun& run, std::span<const Plan> plans) {
  const SteadyClock clock;
  run.ledger.batch();
  std::vector<GpuAnswer> answers;
  for (auto& outcome : run.processors.gpu->search(plans, clock)) answers.emplace_back(std::move(outcome));
  return answers;
}

Result<SimulationResult> run_scheduled(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                       const SimulationOptions& options, const LiveProcessors& processors,
                                       const leaf::schedule::CostModel& model) {
  const SteadyClock clock;
  LiveRun run{options, processors, {}, nullptr};
  leaf::schedule::WorkerPool pool(
      {.workers = std::max<std::size_t>(1, options.queues.workers), .queue_limit = options.queues.max_waiting}, clock,
      nullptr);
  QueryScheduler scheduler(
      {.cpu_workers = std::max(1u, options.queues.workers),
       .gpu_batches = std::max(1u, options.queues.streams),
       .max_waiting = options.queues.max_waiting,
       .max_batch = options.queues.max_batch,
       .model = model},
      {.search = [&](std::span<const Plan> plans, leaf::engine::BatchTimes&) { return answers_of_gpu(run, plans); }},
      pool, clock, nullptr);
  run.scheduler = &scheduler;
  const Instant start = now() + std::chrono::milliseconds(10);
  for (const Arrival& arrival : arrivals) {
    const Instant due = start + std::chrono::nanoseconds(static_cast<std::int64_t>(arrival.at_us * 1000));
    std::this_thread::sleep_until(due);
    auto query = std::make_shared<LiveQuery>(run, queries[arrival.query], due);
    const auto submit = [query = std::move(query)](const Result<std::chrono::microseconds>& waited) {
      if (waited)
        LiveQuery::submit(query);
      else
        query->drop();
    };
    if (!pool.submit_one({Deadline::never(), submit, 0}, leaf::schedule::Lane::kSearch)) run.ledger.refused();
  }
  run.ledger.await(arrivals.size());
  return run.ledger.take(scheduler.state());
}

// One query at a time, on the processor that is predicted to take less time for it alone. This thread does it all.
Result<SimulationResult> run_one_at_a_time(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                           const SimulationOptions& options, const LiveProcessors& processors,
                                           const leaf::schedule::CostModel& model) {
  const CostPredictor predictor(model);
  const SteadyClock clock;
  SimulationResult result;
  std::vector<double> delays;
  const Instant start = now();
  for (const Arrival& arrival : arrivals) {
    const CostedQuery& query = queries[arrival.query];
    const Instant due = start + std::chrono::nanoseconds(static_cast<std::int64_t>(arrival.at_us * 1000));
    std::this_thread::sleep_until(due);
    const auto costs = predictor.predict(query.features);
    const bool on_gpu = processors.gpu != nullptr && predictor.batch_us(costs.gpu.us, 1) < costs.cpu.us;
    if (on_gpu) {
      for (auto& outcome : processors.gpu->search(query.plans, clock)) FROND_TRY(std::move(outcome));
    } else {
      FROND_TRY(search_on_cpu(*processors.cpu, query.plans));
    }
    result.on_gpu += on_gpu;
    delays.push_back(us_between(due, now()));
    result.late += delays.back() > options.deadline_us;
  }
  set_delays(result, std::move(delays));
  return result;
}

}  // namespace

Result<SimulationResult> run_live(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                  const SimulationOptions& options, const LiveProcessors& processors,
                                  const leaf::schedule::CostModel& model) {
  FROND_CHECK(processors.cpu != nullptr && (processors.gpu != nullptr || options.queues.streams == 0));
  return options.configuration == Configuration::kBetterOneAtATime
             ? run_one_at_a_time(queries, arrivals, options, processors, model)
             : run_scheduled(queries, arrivals, options, processors, model);
}

}  // namespace frond::tools::bench
