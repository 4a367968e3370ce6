#include "leaf/schedule/worker_pool.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "common/base/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::schedule {
namespace {
constexpr Instant::rep kNotBusy = Instant::max().time_since_epoch().count();
thread_local const WorkerPool* pool_of_thread = nullptr;  // null: not a worker
}  // namespace

WorkerPool::WorkerPool(Options options, const Clock& clock, metrics::Registry* registry)
    : options_(options), clock_(clock), busy_until_(options.workers + 1) {
  for (auto& one : busy_until_) one.store(kNotBusy, std::memory_order_relaxed);
  FROND_CHECK(options_.workers >= 1);
  if (registry != nullptr) {
    const metrics::Labels pool{{"pool", is_costly() ? "costly" : "usual"}};
    queued_ = registry->gauge(families::kQueueTasks, pool);
    wait_ = registry->histogram(families::kQueueWait, metrics::latency_seconds(), pool);
    refused_ = registry->counter(families::kTasksRefused, pool);
    expired_ = registry->counter(families::kTasksExpired, pool);
    registry->gauge(families::kQueueLimit, pool).set(static_cast<double>(options_.queue_limit));
    registry->gauge(families::kWorkers, pool).set(static_cast<double>(options_.workers));
  }
  for (std::size_t i = 0; i <= options_.workers; ++i)
    threads_.emplace_back([this, i] { work(i, i == options_.workers); });
}

WorkerPool::~WorkerPool() {
  drain();
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  work_.notify_all();
  interactive_work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Result<void> WorkerPool::admit(std::size_t tasks, Lane lane) const {
  if (lane == Lane::kContinue) return {};  // part of work that was admitted, for which drain() waits
  if (draining_) return Error(Code::kUnavailable, "the leaf is draining");
  const std::size_t before = lane == Lane::kInteractive ? interactive_.size() : searching_ + continued_.size();
  if (before != 0 && before + tasks > options_.queue_limit)
    return Error(Code::kOverloaded,
                 std::to_string(before) + " tasks wait, at most " + std::to_string(options_.queue_limit) + " may");
  return {};
}

// Moves late and cancelled tasks to dropped_; a worker then calls their run() with kDeadline. False: none was moved.
bool WorkerPool::sweep(Instant now) {
  if (draining_ || now < sweep_again_) return false;
  sweep_again_ = now + kSweepEvery;
  const std::size_t before = dropped_.size();
  const auto sweep_one = [&](Queue& queue) FROND_REQUIRES(mutex_) {
    const auto over = std::stable_partition(
        queue.begin(), queue.end(), [&](const Waiting& waiting) { return !waiting.task.deadline.passed_at(now); });
    const auto count = static_cast<std::size_t>(queue.end() - over);
    dropped_.insert(dropped_.end(), std::make_move_iterator(over), std::make_move_iterator(queue.end()));
    queue.erase(over, queue.end());
    return count;
  };
  for (Queue& queue : searches_) searching_ -= sweep_one(queue);
  sweep_one(interactive_);
  if (dropped_.size() == before) return false;
  interactive_work_.notify_one();
  return true;
}

Result<void> WorkerPool::submit(std::vector<Task> tasks, Lane lane) {
  const std::size_t count = tasks.size();
  const Instant now = clock_.now();
  {
    const MutexLock lock(mutex_);
    auto admitted = admit(count, lane);
    if (!admitted && sweep(now)) admitted = admit(count, lane);
    if (!admitted) {
      refused_.add(static_cast<double>(count));
      return admitted;
    }
    for (Task& task : tasks) {
      Queue& queue = lane == Lane::kSearch     ? searches_[level_of(task.weight)]
                     : lane == Lane::kContinue ? continued_
                                               : interactive_;
      queue.push_back({std::move(task), now});
    }
    searching_ += lane == Lane::kSearch ? count : 0;
    queued_.set(static_cast<double>(waiting()));
  }
  for (std::size_t i = 0; i < std::min(count, options_.workers); ++i) work_.notify_one();
  if (lane == Lane::kInteractive) interactive_work_.notify_one();
  return {};
}

std::size_t WorkerPool::level_of(std::uint64_t weight) {
  std::size_t level = 0;
  for (std::uint64_t end = kFirstLevel; weight >= end && level + 1 < kLevels; end *= 4) ++level;
  return level;
}

// Null: no search waits.
WorkerPool::Queue* WorkerPool::next_search() {
  if (searching_ == 0) return nullptr;
  --searching_;
  Queue* best = nullptr;
  const bool by_age = ++turn_ % kOldestFirstEvery == 0;
  for (Queue& queue : searches_) {
    if (queue.empty()) continue;
    if (best == nullptr || (by_age && queue.front().since < best->front().since)) best = &queue;
  }
  return best;
}

bool WorkerPool::next(bool interactive_only, Waiting& to) {
  Queue* queue = !dropped_.empty()       ? &dropped_
                 : !interactive_.empty() ? &interactive_
                 : interactive_only      ? nullptr
                 : !continued_.empty()   ? &continued_
                                         : next_search();
  if (queue == nullptr) return false;
  to = std::move(queue->front());
  queue->pop_front();
  queued_.set(static_cast<double>(waiting()));
  return true;
}

void WorkerPool::work(std::size_t number, bool interactive_only) {
  pool_of_thread = this;
  name_this_thread(interactive_only ? "leaf-fetch" : is_costly() ? "leaf-costly" : "leaf-worker");
  std::condition_variable_any& signal = interactive_only ? interactive_work_ : work_;
  for (;;) {
    Waiting waiting;
    {
      MutexLock lock(mutex_);
      while (!next(interactive_only, waiting)) {
        if (stopped_) return;
        signal.wait(lock.mutex());
      }
      ++running_;
    }
    run(waiting, busy_until_[number]);
    waiting = {};  // release what the task holds before drain() may return
    const MutexLock lock(mutex_);
    if (--running_ == 0 && this->waiting() == 0) idle_.notify_all();
  }
}

void WorkerPool::run(Waiting& waiting, std::atomic<Instant::rep>& busy_until) {
  const Instant now = clock_.now();
  busy_until.store(std::max(waiting.task.deadline.when(), now).time_since_epoch().count(), std::memory_order_relaxed);
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(now - waiting.since);
  wait_.observe(std::chrono::duration<double>(waited).count());
  try {
    if (waiting.task.deadline.passed_at(now)) {
      const bool cancelled = waiting.task.deadline.cancelled();
      if (!cancelled) expired_.add();
      waiting.task.run(Error(Code::kDeadline, (cancelled ? "cancelled after " : "passed after ") +
                                                  std::to_string(waited.count()) + " us in the queue"));
    } else {
      waiting.task.run(waited);
    }
  } catch (const std::exception&) {  // out of memory even to report an error: the request ends at its deadline
  }
  busy_until.store(kNotBusy, std::memory_order_relaxed);
}

Instant WorkerPool::turned() const {
  Instant::rep latest = Instant::min().time_since_epoch().count();
  for (const auto& one : busy_until_) latest = std::max(latest, one.load(std::memory_order_relaxed));
  return std::min(clock_.now(), Instant(Instant::duration(latest)));
}

void WorkerPool::drain() {
  MutexLock lock(mutex_);
  draining_ = true;
  while (running_ != 0 || waiting() != 0) idle_.wait(lock.mutex());
}

bool WorkerPool::runs_caller() const { return pool_of_thread == this; }

Scheduler::Load WorkerPool::load() const {
  const MutexLock lock(mutex_);
  return {waiting(), options_.queue_limit, options_.workers, running_};
}

}  // namespace frond::leaf::schedule
