#pragma once
// The leaf's threads, and the queue in front of them.
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "leaf/schedule/scheduler.h"
#include "leaf/schedule/search_queue.h"

namespace frond::leaf::schedule {

// How long the tasks of a queue take, as running mean and spread, and from that how long a queue makes a new task wait,
// almost certainly at least. A pool refuses a task by it that would only be dropped later.
//
// The mean over the last kMemory tasks or so has an error of its own, which counts for each waiting task; the spread of
// single tasks evens out. Both are subtracted kErrors times. In simulated queues of 400 kinds, with loads up to 3.3, 15
// of 111,146 refused tasks would have been answered (service_times_test.cc); with kErrors 1, 371 of 191,570. Not
// thread-safe.
class ServiceTimes {
 public:
  static constexpr double kMemory = 128;
  static constexpr double kErrors = 2;
  static constexpr std::size_t kMinTasks = 64;  // before these are observed nothing is said

  // A task took so long; 0: it was dropped when its turn came.
  void observe(std::int64_t ns) {
    const double took = static_cast<double>(std::max<std::int64_t>(0, ns));
    ++tasks_;
    const double step = std::max(1 / static_cast<double>(tasks_), 1 / kMemory);
    mean_ += step * (took - mean_);
    square_ += step * (took * took - square_);
  }
  // Nanoseconds until a worker of `workers` that are all busy begins a task behind `waiting` others, almost certainly
  // at least. When it begins, all but workers - 1 of these have ended.
  std::int64_t min_wait(std::size_t waiting, std::size_t workers) const {
    if (tasks_ < kMinTasks || waiting < workers) return 0;
    const double ended = static_cast<double>(waiting - (workers - 1));
    const double spread = std::sqrt(std::max(0.0, square_ - mean_ * mean_));
    const double work = ended * mean_ - kErrors * spread * (std::sqrt(ended) + ended / std::sqrt(kMemory));
    return work > 0 ? static_cast<std::int64_t>(work / static_cast<double>(workers)) : 0;
  }
  double mean_ns() const { return mean_; }

 private:
  double mean_ = 0, square_ = 0;
  std::size_t tasks_ = 0;
};

// A fixed number of worker threads over one bounded queue, and one more thread for interactive tasks. So the fetch of
// an answer's documents never waits for the searches in the queue. While searches of several clients wait, that thread
// also runs those of a client whose last ones took less than a millisecond: they need not wait until a worker ends
// another's.
//
// Waking a thread costs more than many tasks do, so at most one thread is being woken at a time: it wakes the next one
// if more waits when it has taken its task. A thread that ends a task takes the next one without being woken. The
// thread that fell asleep last is woken first: its caches are warm.
//
// When the queue is full, late and cancelled tasks are removed from it before new ones are refused, at most once per
// kSweepEvery. A pool may also refuse a search whose turn would almost certainly come after its deadline
// (ServiceTimes), so that its client hears of it at once; what the search itself takes is not known yet.
class WorkerPool final : public Scheduler {
 public:
  static constexpr std::chrono::milliseconds kSweepEvery{10};
  struct Options {
    std::size_t workers = 1;         // at least 1
    std::size_t queue_limit = 1024;  // max waiting tasks; interactive tasks have a limit of their own, of the same size
    // A leaf may have a second pool for work that costs many times the usual, so that this work has threads of its own.
    enum class Work : std::uint8_t { kUsual, kCostly } work = Work::kUsual;
    bool refuse_late = false;  // for a pool whose searches have no other scheduler
    std::uint32_t secret = ClientTimes::kUsualSecret;
  };
  // `registry` may be null. REQUIRES: options.workers >= 1.
  WorkerPool(Options options, const Clock& clock, metrics::Registry* registry);
  ~WorkerPool() override;

  Result<void> admit(std::span<Task> tasks, Lane lane) override;
  bool run_here(Task& task) override;
  void drain() override;
  Load load() const override;
  bool runs_caller() const override;
  // When the pool last made progress, for /livez: now, while a worker is idle or runs a task whose deadline has not
  // passed; otherwise the latest of these deadlines. Any thread.
  Instant turned() const;

 private:
  using Waiting = WaitingTask;
  using Queue = std::deque<Waiting>;
  // A client has at most so many times as many places in the queue as are free: alone seven eighths of them all, and
  // never the last ones, however many others wait.
  static constexpr std::size_t kOfWhatIsFree = 7;

  // A thread of the pool.
  struct Worker {
    Worker() { sem_init(&wake, 0, 0); }
    ~Worker() { sem_destroy(&wake); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    // Posted for a thread that to_wake() took from idle_. Not std::binary_semaphore, which yields the core several
    // times before it sleeps.
    sem_t wake;
    // The deadline of its task; the highest number if the task has none or the thread is idle.
    std::atomic<Instant::rep> busy_until{0};
    bool interactive_only = false;
    // Its last task, if that was a search from the queue: whose, and what it took; -1: it was none. Of the thread
    // alone.
    Client client;
    std::int64_t charged_ns = 0, took_ns = -1;
  };

  bool is_costly() const { return options_.work == Options::Work::kCostly; }
  Result<void> room_for(std::span<const Task> tasks, Lane lane) const FROND_REQUIRES(mutex_);
  bool would_be_late(std::span<const Task> tasks, Lane lane, Instant now) const FROND_REQUIRES(mutex_);
  bool sweep(Instant now) FROND_REQUIRES(mutex_);
  void work(Worker& self);
  bool next(Worker& self, Waiting& to, bool ended);
  bool take(bool interactive_only, Waiting& to) FROND_REQUIRES(mutex_);
  void show_waiting() FROND_REQUIRES(mutex_);
  Worker* to_wake() FROND_REQUIRES(mutex_);
  bool may_search(bool interactive_only) const FROND_REQUIRES(mutex_) {
    return interactive_only ? searches_.next_is_little() : searches_.size() > 0 || !last_.empty();
  }
  static void wake(Worker* worker);
  void run(Waiting& waiting, Worker& self);
  std::size_t waiting() const FROND_REQUIRES(mutex_) {
    return searches_.size() + last_.size() + continued_.size() + interactive_.size() + dropped_.size();
  }

  const Options options_;
  const Clock& clock_;
  metrics::Gauge queued_, clients_;
  metrics::Histogram wait_;
  metrics::Counter refused_, refused_late_, expired_;
  std::vector<Worker> workers_;  // the last is for interactive tasks

  mutable Mutex mutex_;
  std::condition_variable_any drained_;
  std::vector<Worker*> idle_ FROND_GUARDED_BY(mutex_);           // asleep; the last one fell asleep last
  Worker* idle_interactive_ FROND_GUARDED_BY(mutex_) = nullptr;  // the thread for interactive tasks, while it sleeps
  unsigned waking_ FROND_GUARDED_BY(mutex_) = 0;                 // woken, not yet here for a task
  SearchQueue searches_ FROND_GUARDED_BY(mutex_);
  ServiceTimes served_ FROND_GUARDED_BY(mutex_);  // searches
  unsigned turn_ FROND_GUARDED_BY(mutex_) = 0;
  Queue last_ FROND_GUARDED_BY(mutex_), continued_ FROND_GUARDED_BY(mutex_), interactive_ FROND_GUARDED_BY(mutex_);
  Queue dropped_ FROND_GUARDED_BY(mutex_);  // late or cancelled: run() still has to be called, with kDeadline
  Instant sweep_again_ FROND_GUARDED_BY(mutex_) = Instant::min();
  std::size_t running_ FROND_GUARDED_BY(mutex_) = 0;
  bool draining_ FROND_GUARDED_BY(mutex_) = false, stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::schedule
