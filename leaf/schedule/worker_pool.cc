#include "leaf/schedule/worker_pool.h"

#include <exception>
#include <iterator>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::schedule {
namespace {
// Of the threads for costly work, beyond that of the process: with too few cores, other searches come first.
constexpr int kCostlyNice = 5;
constexpr Instant::rep kNotBusy = Instant::max().time_since_epoch().count();
thread_local const WorkerPool* pool_of_thread = nullptr;  // null: not a worker
}  // namespace

WorkerPool::WorkerPool(Options options, const Clock& clock, metrics::Registry* registry)
    : options_(options), clock_(clock), workers_(options.workers + 1), searches_(options.secret) {
  FROND_CHECK(options_.workers >= 1);
  for (Worker& one : workers_) one.busy_until.store(kNotBusy, std::memory_order_relaxed);
  workers_.back().interactive_only = true;
  if (registry != nullptr) {
    const metrics::Labels pool{{"pool", is_costly() ? "costly" : "usual"}};
    queued_ = registry->gauge(families::kQueueTasks, pool);
    clients_ = registry->gauge(families::kQueueClients, pool);
    wait_ = registry->histogram(families::kQueueWait, metrics::latency_seconds(), pool);
    refused_ = registry->counter(families::kTasksRefused, pool);
    expired_ = registry->counter(families::kTasksExpired, pool);
    if (options_.refuse_late) refused_late_ = registry->counter(families::kScheduleRefused, {{"reason", "late"}});
    registry->gauge(families::kQueueLimit, pool).set(static_cast<double>(options_.queue_limit));
    registry->gauge(families::kWorkers, pool).set(static_cast<double>(options_.workers));
  }
  idle_.reserve(options_.workers);
  for (Worker& one : workers_) threads_.emplace_back([this, &one] { work(one); });
}

WorkerPool::~WorkerPool() {
  drain();
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    for (Worker* const one : idle_) wake(one);
    wake(idle_interactive_);
    idle_.clear();
    idle_interactive_ = nullptr;
  }
  for (auto& thread : threads_) thread.join();
}

Result<void> WorkerPool::room_for(std::span<const Task> tasks, Lane lane) const {
  if (lane == Lane::kContinue || lane == Lane::kLast)
    return {};  // part of work that was admitted, for which drain() waits
  if (draining_) return Error(Code::kUnavailable, "the leaf is draining");
  const bool searches = lane == Lane::kSearch && !tasks.empty();
  const std::size_t before =
      lane == Lane::kInteractive ? interactive_.size() : searches_.size() + last_.size() + continued_.size();
  const std::size_t limit = options_.queue_limit;
  if (before != 0 && before + tasks.size() > limit)
    return Error(Code::kOverloaded, std::to_string(before) + " tasks wait, at most " + std::to_string(limit) + " may");
  const std::size_t own = searches ? searches_.size(tasks[0].client) : 0;
  if (own != 0 && own + tasks.size() > kOfWhatIsFree * (limit - before))
    return Error(Code::kOverloaded, std::to_string(before) + " of " + std::to_string(limit) + " tasks wait, " +
                                        std::to_string(own) + " of this client: the rest is for others");
  return {};
}

// Tasks of a group have one deadline.
bool WorkerPool::would_be_late(std::span<const Task> tasks, Lane lane, Instant now) const {
  if (!options_.refuse_late || lane != Lane::kSearch || searches_.size() < options_.workers || tasks.empty())
    return false;
  const Task& search = tasks.front();
  const std::size_t before = searches_.before(search, served_.mean_ns());
  return search.deadline.when() - now < std::chrono::nanoseconds(served_.min_wait(before, options_.workers));
}

// Moves late and cancelled tasks to dropped_; a worker then calls their run() with kDeadline. Not those of
// Lane::kLast and Lane::kContinue, which do not fill the queue from outside. False: none was moved.
bool WorkerPool::sweep(Instant now) {
  if (draining_ || now < sweep_again_) return false;
  sweep_again_ = now + kSweepEvery;
  const std::size_t before = dropped_.size();
  const auto over = std::stable_partition(interactive_.begin(), interactive_.end(), [&](const Waiting& waiting) {
    return !waiting.task.deadline.passed_at(now);
  });
  dropped_.insert(dropped_.end(), std::make_move_iterator(over), std::make_move_iterator(interactive_.end()));
  interactive_.erase(over, interactive_.end());
  searches_.take_late(now, dropped_);
  return dropped_.size() != before;
}

Result<void> WorkerPool::admit(std::span<Task> tasks, Lane lane) {
  const std::size_t count = tasks.size();
  const Instant now = clock_.now();
  Result<void> admitted;
  Worker* woken = nullptr;
  bool late = false;
  {
    const MutexLock lock(mutex_);
    const auto ask = [&]() FROND_REQUIRES(mutex_) {
      admitted = room_for(tasks, lane);
      late = admitted && would_be_late(tasks, lane, now);
      if (late) admitted = Error(Code::kOverloaded, "its turn would come too late");
      return admitted.has_value();
    };
    if (!ask() && sweep(now)) ask();
    if (admitted) {
      for (Task& task : tasks) {
        if (lane == Lane::kSearch) {
          searches_.push(std::move(task), now);
          continue;
        }
        Queue& queue = lane == Lane::kLast ? last_ : lane == Lane::kContinue ? continued_ : interactive_;
        queue.push_back({std::move(task), now});
      }
    }
    show_waiting();
    woken = to_wake();
  }
  wake(woken);
  if (!admitted) (late ? refused_late_ : refused_).add(static_cast<double>(count));
  return admitted;
}

bool WorkerPool::run_here(Task& task) {
  bool contended = false;
  {
    const MutexLock lock(mutex_);
    if (draining_ || !searches_.would_be_next(task.client)) return false;
    ++running_;
    contended = searches_.size() > 0;
  }
  Worker caller;
  Waiting now{std::move(task), clock_.now()};
  if (contended) now.charged_ns = 0;
  pool_of_thread = this;
  run(now, caller);
  pool_of_thread = nullptr;
  now = {};  // release what the task holds before drain() may return
  const MutexLock lock(mutex_);
  if (contended) searches_.ended(caller.client, 0, caller.took_ns);
  if (--running_ == 0 && waiting() == 0) drained_.notify_all();
  return true;
}

void WorkerPool::show_waiting() {
  queued_.set(static_cast<double>(waiting()));
  clients_.set(static_cast<double>(searches_.clients()));
}

// False: nothing waits that such a thread may run.
bool WorkerPool::take(bool interactive_only, Waiting& to) {
  Queue* queue = !dropped_.empty()       ? &dropped_
                 : !interactive_.empty() ? &interactive_
                 : interactive_only      ? nullptr
                 : !continued_.empty()   ? &continued_
                                         : nullptr;
  if (queue == nullptr && may_search(interactive_only)) {
    const bool by_age = ++turn_ % SearchQueue::kOldestFirstEvery == 0;
    const bool of_last =
        searches_.size() == 0 || (by_age && !last_.empty() && last_.front().since < searches_.next_since());
    if (of_last)
      queue = &last_;
    else
      to = searches_.pop();
  } else if (queue == nullptr) {
    return false;
  }
  if (queue != nullptr) {
    to = std::move(queue->front());
    queue->pop_front();
  }
  show_waiting();
  return true;
}

// The thread to wake for what waits. Null: nothing waits, or no thread is idle, or one is being woken: it will ask
// again. The caller calls wake() after it has released the mutex.
WorkerPool::Worker* WorkerPool::to_wake() {
  if (waking_ != 0) return nullptr;
  const bool urgent = !dropped_.empty() || !interactive_.empty() || searches_.next_is_little();
  Worker* worker = nullptr;
  if (!idle_.empty() && waiting() != 0) {
    worker = idle_.back();
    idle_.pop_back();
  } else if (urgent && idle_interactive_ != nullptr) {
    worker = idle_interactive_;
    idle_interactive_ = nullptr;
  }
  if (worker != nullptr) ++waking_;
  return worker;
}

void WorkerPool::wake(Worker* worker) {
  if (worker != nullptr) sem_post(&worker->wake);
}

// Waits for the thread's next task. `ended`: it has run one before. False: the pool has ended.
bool WorkerPool::next(Worker& self, Waiting& to, bool ended) {
  for (bool woken = false;; woken = true) {
    bool found = false;
    Worker* another = nullptr;
    {
      const MutexLock lock(mutex_);
      if (!woken && ended && --running_ == 0 && waiting() == 0) drained_.notify_all();
      if (self.took_ns >= 0) {
        served_.observe(self.took_ns);
        searches_.ended(self.client, self.charged_ns, std::exchange(self.took_ns, -1));
      }
      if (stopped_) return false;
      waking_ -= woken;
      found = take(self.interactive_only, to);
      if (found)
        ++running_;
      else if (self.interactive_only)
        idle_interactive_ = &self;
      else
        idle_.push_back(&self);
      another = to_wake();
    }
    wake(another);
    if (found) return true;
    while (sem_wait(&self.wake) != 0) {  // a signal came first
    }
  }
}

void WorkerPool::work(Worker& self) {
  pool_of_thread = this;
  name_this_thread(self.interactive_only ? "leaf-fetch" : is_costly() ? "leaf-costly" : "leaf-worker");
  if (is_costly()) yield_to_others(std::min(19, getpriority(PRIO_PROCESS, 0) + kCostlyNice));
  Waiting waiting;
  for (bool ended = false; next(self, waiting, ended); ended = true) {
    run(waiting, self);
    waiting = {};  // release what the task holds before drain() may return
  }
}

void WorkerPool::run(Waiting& waiting, Worker& self) {
  const Instant now = clock_.now();
  const Task& task = waiting.task;
  self.busy_until.store(std::max(task.deadline.when(), now).time_since_epoch().count(), std::memory_order_relaxed);
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(now - waiting.since);
  wait_.observe(std::chrono::duration<double>(waited).count());
  try {
    if (task.deadline.passed_at(now)) {
      const bool cancelled = task.deadline.cancelled();
      if (!cancelled) expired_.add();
      task.run(Error(Code::kDeadline, (cancelled ? "cancelled after " : "passed after ") +
                                          std::to_string(waited.count()) + " us in the queue"));
    } else {
      task.run(waited);
    }
  } catch (const std::exception&) {  // out of memory even to report an error: the request ends at its deadline
  }
  self.busy_until.store(kNotBusy, std::memory_order_relaxed);
  if (waiting.charged_ns < 0) return;
  self.client = task.client;
  self.charged_ns = waiting.charged_ns;
  self.took_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.now() - now).count();
}

Instant WorkerPool::turned() const {
  Instant::rep latest = Instant::min().time_since_epoch().count();
  for (const Worker& one : workers_) latest = std::max(latest, one.busy_until.load(std::memory_order_relaxed));
  return std::min(clock_.now(), Instant(Instant::duration(latest)));
}

void WorkerPool::drain() {
  MutexLock lock(mutex_);
  draining_ = true;
  while (running_ != 0 || waiting() != 0) drained_.wait(lock.mutex());
}

bool WorkerPool::runs_caller() const { return pool_of_thread == this; }

Scheduler::Load WorkerPool::load() const {
  const MutexLock lock(mutex_);
  return {waiting(), options_.queue_limit, options_.workers, running_};
}

}  // namespace frond::leaf::schedule
