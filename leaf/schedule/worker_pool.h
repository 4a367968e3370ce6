#pragma once
// A fixed number of worker threads over one bounded queue, and one thread more that runs only interactive tasks: so
// that fetching an answer's documents never waits for the searches behind it.
//
// A full queue is rid of tasks that are late or cancelled before others are refused, once in kSweepEvery at most.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>

#include "common/base/mutex.h"
#include "common/metrics/registry.h"
#include "leaf/schedule/scheduler.h"

namespace frond::leaf::schedule {

class WorkerPool final : public Scheduler {
 public:
  static constexpr std::chrono::milliseconds kSweepEvery{10};
  struct Options {
    std::size_t workers = 1;         // at least 1
    std::size_t queue_limit = 1024;  // tasks that may wait; interactive ones have as many of their own
    // A leaf may have a second pool, for what costs many times the usual: so that it has threads of its own.
    enum class Work : std::uint8_t { kUsual, kCostly } work = Work::kUsual;
  };
  // `registry` may be null.
  WorkerPool(Options options, const Clock& clock, metrics::Registry* registry);
  ~WorkerPool() override;

  Result<void> submit(std::vector<Task> tasks, Lane lane) override;
  void drain() override;
  Load load() const override;
  // Until when a worker was of use: now, while one is idle or works on a task whose deadline has not passed; else the
  // latest of these deadlines. For /livez. Any thread.
  Instant turned() const;

 private:
  struct Waiting {
    Task task;
    Instant since;
  };
  using Queue = std::deque<Waiting>;
  // Searches of similar weight, the lightest first: 16,384 postings, and four times as many with each.
  static constexpr std::size_t kLevels = 8;
  static constexpr std::uint64_t kFirstLevel = 1 << 14;
  // One search in so many is the one that has waited longest.
  static constexpr unsigned kEldersTurn = 8;
  static std::size_t level_of(std::uint64_t weight);
  Queue* next_search() FROND_REQUIRES(mutex_);

  bool is_costly() const { return options_.work == Options::Work::kCostly; }
  Result<void> admit(std::size_t tasks, Lane lane) const FROND_REQUIRES(mutex_);
  bool sweep(Instant now) FROND_REQUIRES(mutex_);
  void work(std::size_t number, bool interactive_only);
  bool next(bool interactive_only, Waiting& to) FROND_REQUIRES(mutex_);
  void run(Waiting& waiting, std::atomic<Instant::rep>& busy_until);
  std::size_t waiting() const FROND_REQUIRES(mutex_) {
    return searching_ + continued_.size() + interactive_.size() + dropped_.size();
  }

  const Options options_;
  const Clock& clock_;
  metrics::Gauge queued_;
  metrics::Histogram wait_;
  metrics::Counter refused_, expired_;
  // By thread: its task's deadline; the highest number while it has none, or is idle.
  std::vector<std::atomic<Instant::rep>> busy_until_;

  mutable Mutex mutex_;
  std::condition_variable_any work_, interactive_work_, idle_;
  std::array<Queue, kLevels> searches_ FROND_GUARDED_BY(mutex_);
  std::size_t searching_ FROND_GUARDED_BY(mutex_) = 0;  // tasks in them
  unsigned turn_ FROND_GUARDED_BY(mutex_) = 0;
  Queue continued_ FROND_GUARDED_BY(mutex_), interactive_ FROND_GUARDED_BY(mutex_);
  Queue dropped_ FROND_GUARDED_BY(mutex_);  // late or cancelled: only to be told so
  Instant sweep_again_ FROND_GUARDED_BY(mutex_) = Instant::min();
  std::size_t running_ FROND_GUARDED_BY(mutex_) = 0;
  bool draining_ FROND_GUARDED_BY(mutex_) = false, stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::schedule
