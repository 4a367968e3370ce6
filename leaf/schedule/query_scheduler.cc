#include "leaf/schedule/query_scheduler.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/threads/thread_name.h"

namespace frond::leaf::schedule {
namespace {

QueryQueues::Options queue_options(const QueryScheduler::Options& options) {
  return {.workers = options.cpu_workers,
          .streams = options.gpu_batches,
          .max_waiting = options.max_waiting,
          .max_batch = options.max_batch,
          .launch = std::chrono::microseconds(static_cast<std::int64_t>(options.model.launch_us)),
          .secret = options.secret};
}

Query& query_of(QueryJob& job) { return static_cast<Query&>(job); }

}  // namespace

QueryScheduler::QueryScheduler(const Options& options, Gpu gpu, Scheduler& pool, const Clock& clock,
                               metrics::Registry* registry)
    : options_(options),
      gpu_(std::move(gpu)),
      pool_(pool),
      clock_(clock),
      predictor_(options.model),
      queues_(queue_options(options)) {
  FROND_CHECK(options.gpu_batches >= 1);
  if (registry != nullptr) export_state(*registry);
  for (std::uint32_t i = 0; i < options.gpu_batches; ++i) threads_.emplace_back([this] { run_batches(); });
}

QueryScheduler::~QueryScheduler() {
  drain();
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

QueryScheduler::Admitted QueryScheduler::submit(const std::shared_ptr<Query>& query) {
  const Instant now = clock_.now();
  QueryQueues::Admitted admitted{};
  Consequences then;
  {
    const MutexLock lock(mutex_);
    if (draining_) return Admitted::kClosed;
    query->cpu_us = query->costs.cpu.us;
    query->gpu_us = query->costs.gpu.us *
                    predictor_.model().scale_of(static_cast<std::size_t>(queues_.typical_batch())) / devices();
    admitted = queues_.add(*query, now).admitted;
    if (admitted == QueryQueues::Admitted::kYes) query->self_ = query;
    then = consequences(now);
  }
  // This thread has made plans and is free: without other tasks it runs what the CPU should. But a query's second wave
  // may be submitted while its first is run so. The task's client is charged with that, whoever's it is: nobody waits.
  thread_local bool runs_here = false;
  const bool here = then.run_on_cpu && !runs_here && pool_.load().waiting == 0;
  if (here) then.run_on_cpu = false;
  apply(std::move(then));
  if (here) {
    runs_here = true;
    run_on_cpu();  // does not throw
    runs_here = false;
  }
  return admitted == QueryQueues::Admitted::kYes    ? Admitted::kYes
         : admitted == QueryQueues::Admitted::kFull ? Admitted::kFull
                                                    : Admitted::kTooLate;
}

QueryScheduler::Consequences QueryScheduler::consequences(Instant now) {
  Consequences then;
  while (QueryJob* const job = queues_.next_dropped()) {
    Query& query = query_of(*job);
    query.dropped_next_ = std::move(then.dropped);
    then.dropped = std::move(query.self_);
  }
  const QueryQueues::Wanted wanted = queues_.wanted(now);
  if (wanted.cpu && !cpu_task_waits_) then.run_on_cpu = cpu_task_waits_ = true;
  if (wanted.gpu && idle_threads_ > 0 && *wanted.gpu < wake_at_) {
    then.wake_gpu = true;
    wake_at_ = *wanted.gpu;
  }
  then.wake_all = draining_;
  return then;
}

void QueryScheduler::apply(Consequences what) {
  if (what.wake_all)
    changed_.notify_all();
  else if (what.wake_gpu)
    changed_.notify_one();
  try {
    const auto run = [this](const Result<std::chrono::microseconds>&) { run_on_cpu(); };
    if (what.run_on_cpu) (void)pool_.submit_one({Deadline::never(), run, 0}, Lane::kLast);
  } catch (const std::exception&) {  // out of memory: the next change of the queues asks for the task again
    const MutexLock lock(mutex_);
    cpu_task_waits_ = false;
  }
  while (std::shared_ptr<Query> query = std::move(what.dropped)) {
    what.dropped = std::move(query->dropped_next_);
    try {
      const auto run = [query = std::move(query)](const Result<std::chrono::microseconds>&) { query->drop(); };
      (void)pool_.submit_one({Deadline::never(), run, 0}, Lane::kContinue);
    } catch (const std::exception&) {  // out of memory even to report it: the request ends at its deadline
    }
  }
}

// Runs one query, if there is one for the CPU now.
void QueryScheduler::run_on_cpu() {
  const Instant now = clock_.now();
  std::shared_ptr<Query> query;
  Consequences then;
  {
    const MutexLock lock(mutex_);
    cpu_task_waits_ = false;
    if (queues_.wanted(now).cpu)
      if (QueryJob* const job = queues_.next_for_cpu(now)) query = std::move(query_of(*job).self_);
    if (query != nullptr) query->on_worker_ = true;
    then = consequences(now);
  }
  apply(std::move(then));
  if (query == nullptr) return;
  try {
    if (query->ran != nullptr) *query->ran = {.taken = now};
    query->search_on_cpu();
  } catch (const std::exception&) {  // out of memory even to report an error: the request ends at its deadline
    end_on_cpu(*query);
  }
}

void QueryScheduler::cpu_done(Query& query, std::chrono::microseconds spent) {
  predictor_.observe(query.costs.cpu,
                     static_cast<double>(std::max<std::int64_t>(1, spent.count())) / query.costs.cpu.us);
  end_on_cpu(query);
}

// The query's worker is free, unless it is already.
void QueryScheduler::end_on_cpu(Query& query) {
  const Instant now = clock_.now();
  Consequences then;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(query.on_worker_, false)) queues_.cpu_done(query);
    then = consequences(now);
  }
  apply(std::move(then));
}

// Waits for a batch. False: the scheduler has ended.
bool QueryScheduler::next_batch(Batch& batch) {
  for (;;) {
    Consequences then;
    {
      MutexLock lock(mutex_);
      for (;;) {
        const Instant now = clock_.now();
        const QueryQueues::Wanted wanted = queues_.wanted(now);
        if (wanted.gpu && (*wanted.gpu <= now || (draining_ && wanted.batch))) {
          const QueryQueues::Batch taken = queues_.next_batch(batch.jobs, now);
          batch.count = taken.jobs;
          batch.stream = taken.stream;
          batch.started = now;
          if (taken.jobs != 0) ++batches_;
          then = consequences(now);
          break;
        }
        if (stopped_) return false;
        ++idle_threads_;
        wake_at_ = std::min(wake_at_, wanted.gpu.value_or(Instant::max()));
        if (wanted.gpu)
          changed_.wait_until(lock.mutex(), *wanted.gpu);
        else
          changed_.wait(lock.mutex());
        --idle_threads_;
        wake_at_ = Instant::max();
      }
    }
    apply(std::move(then));
    if (batch.count != 0) return true;
  }
}

void QueryScheduler::run_batches() {
  name_this_thread("leaf-gpu");
  Batch batch;
  batch.jobs.resize(options_.max_batch);
  batch.owned.reserve(options_.max_batch);
  while (next_batch(batch)) {
    std::vector<GpuAnswer> answers;
    try {
      answers = search(batch);
    } catch (const std::exception&) {  // out of memory: the queries get no answers
    }
    const Instant now = clock_.now();
    Consequences then;
    {
      const MutexLock lock(mutex_);
      learn(batch, now);
      queues_.batch_done(batch.stream, now);
      if (gpu_.lost && gpu_.lost()) queues_.close_gpu();
      then = consequences(now);
    }
    apply(std::move(then));
    if (batch.profiled) tell(batch);
    for (QueryJob* const job : batch.queries()) batch.owned.push_back(std::move(query_of(*job).self_));
    try {
      answer(batch, std::move(answers));
    } catch (const std::exception&) {  // out of memory even to reply: the requests end at their deadlines
    }
    batch.owned.clear();
    const MutexLock lock(mutex_);
    --batches_;
    changed_.notify_all();
  }
}

// Moves from the queries' plans, but leaves their number.
std::vector<GpuAnswer> QueryScheduler::search(Batch& batch) {
  batch.plans = 0;
  batch.profiled = false;
  batch.times = {};
  for (QueryJob* const job : batch.queries()) {
    batch.plans += query_of(*job).plans.size();
    batch.profiled = batch.profiled || query_of(*job).ran != nullptr;
  }
  batch_plans_.observe(static_cast<double>(batch.plans));
  if (batch.profiled) {
    batch.times.had_lists.resize(batch.plans);
    batch.times.no_room.resize(batch.plans);
  }
  if (batch.count == 1) return gpu_.search(query_of(*batch.jobs.front()).plans, batch.times);
  std::vector<engine::Plan> plans;
  plans.reserve(batch.plans);
  for (QueryJob* const job : batch.queries())
    for (engine::Plan& plan : query_of(*job).plans) plans.push_back(std::move(plan));
  return gpu_.search(plans, batch.times);
}

// Batches overlap: what a batch took of the device is counted from the end of the one before. Only batches with much
// more work than their launch tell what a query adds.
void QueryScheduler::learn(Batch& batch, Instant now) {
  const Instant from = std::max(batch.started, batch_ended_);
  const bool alone = from == batch.started;
  batch_ended_ = std::max(batch_ended_, now);
  const double launch = predictor_.model().launch_us;
  double work = 0;
  for (QueryJob* const job : batch.queries()) work += query_of(*job).costs.gpu.us;
  work *= predictor_.model().scale_of(batch.count) / devices();
  if (work < 2 * launch) return;
  const double took = std::chrono::duration<double, std::micro>(now - from).count() - (alone ? launch : 0);
  const double ratio = std::max(took, 1.0) / work;
  for (QueryJob* const job : batch.queries()) predictor_.observe(query_of(*job).costs.gpu, ratio);
}

// Tells the queries that want to know how the batch ran.
void QueryScheduler::tell(Batch& batch) {
  const std::vector<bool> had_lists = std::exchange(batch.times.had_lists, {});
  const std::vector<bool> no_room = std::exchange(batch.times.no_room, {});
  std::size_t first = 0;  // plan of the query
  for (QueryJob* const job : batch.queries()) {
    const Query& query = query_of(*job);
    const std::size_t end = first + query.plans.size();
    if (query.ran != nullptr) {
      *query.ran = {batch.started, static_cast<std::uint32_t>(batch.count), static_cast<std::uint32_t>(batch.plans),
                    batch.times};
      query.ran->had_lists =
          end <= had_lists.size() &&
          std::all_of(had_lists.begin() + static_cast<std::ptrdiff_t>(first),
                      had_lists.begin() + static_cast<std::ptrdiff_t>(end), [](bool one) { return one; });
      for (std::size_t plan = first; plan < std::min(end, no_room.size()); ++plan)
        query.ran->no_room = query.ran->no_room || no_room[plan];
    }
    first = end;
  }
}

// Without answers the queries run on the CPU.
void QueryScheduler::answer(Batch& batch, std::vector<GpuAnswer> answers) {
  auto next = answers.begin();
  std::vector<Task> tasks;
  tasks.reserve(batch.count);
  for (std::shared_ptr<Query>& query : batch.owned) {
    std::vector<GpuAnswer> own(query->plans.size());
    if (next != answers.end()) {
      const auto end = next + static_cast<std::ptrdiff_t>(own.size());
      std::move(next, end, own.begin());
      next = end;
    }
    tasks.emplace_back().run = [query = std::move(query),
                                own = std::move(own)](const Result<std::chrono::microseconds>&) mutable {
      query->take_answers(std::move(own));
    };
  }
  (void)pool_.admit(tasks, Lane::kContinue);  // never refused
}

void QueryScheduler::drain() {
  Consequences then;
  {
    const MutexLock lock(mutex_);
    draining_ = true;
    then = consequences(clock_.now());
  }
  apply(std::move(then));
  MutexLock lock(mutex_);
  while (batches_ != 0 || queues_.waiting() != 0) changed_.wait(lock.mutex());
}

QueryQueues::State QueryScheduler::state() const {
  const MutexLock lock(mutex_);
  return queues_.state(clock_.now());
}

}  // namespace frond::leaf::schedule
