#pragma once
// How long the tasks of a queue take, as running mean and spread, and from that how long a queue makes a new task wait,
// almost certainly at least. A pool refuses a task by it that would only be dropped later (worker_pool.h).
//
// The mean over the last kMemory tasks or so has an error of its own, which counts for each waiting task; the spread of
// single tasks evens out. Both are subtracted kErrors times. In simulated queues of 400 kinds, with loads up to 3.3, 15
// of 111,146 refused tasks would have been answered (service_times_test.cc); with kErrors 1, 371 of 191,570. Not
// thread-safe.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace frond::leaf::schedule {

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

}  // namespace frond::leaf::schedule
