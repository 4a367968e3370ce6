#pragma once
// Which searches the thread that has read them evaluates itself, at once. To wake a worker for a search, and then the
// socket's thread for its reply, takes several times as long as most searches do.
//
// While it evaluates, the thread reads nothing. So this is for searches that are predicted to take little, and that
// find all they need in memory; for at most half of the time, in stretches of kStretch; and only while nothing waits
// for a worker (Scheduler::run_here). A search that takes longer than kMostTime in spite of its prediction goes on with
// a worker, from the partition that it has not finished. The documents of its hits are mapped: where reading them had
// to wait for the disk, all searches go to the workers for kAfterDisk.
//
// Any thread; relaxed atomics. Two threads may take the same time.
#include <atomic>
#include <chrono>

#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "leaf/schedule/cost_model.h"

namespace frond::leaf::serve {

class AtOnce {
 public:
  static constexpr std::chrono::microseconds kStretch{250}, kMostTime{1000};
  static constexpr std::chrono::milliseconds kAfterDisk{2000};
  static constexpr std::size_t kMaxRequestBytes = 1024;  // a longer one takes long to decode

  // `most`: the longest that a search may be predicted to take; 0: none is evaluated at once. `registry` may be null.
  AtOnce(schedule::CostModel model, std::chrono::microseconds most, metrics::Registry* registry);

  // Whether a search that has come now may be looked at.
  bool may_begin(Instant now, std::size_t request_bytes) const;
  // Whether one of this prediction may be evaluated at once.
  bool is_little(double predicted_us) const { return predicted_us <= static_cast<double>(most_.count()); }
  // One that began and ended then was evaluated at once by the caller.
  void ended(Instant began, Instant end);

  const schedule::CostPredictor& costs() const { return costs_; }
  // What the engine took for one that was predicted so.
  void observe(const schedule::PredictedCost& predicted, double spent_us);

 private:
  const std::chrono::microseconds most_;
  schedule::CostPredictor costs_;
  metrics::Counter searches_;
  std::atomic<Instant::rep> free_from_;  // when the time taken so far will be at most half
  std::atomic<Instant::rep> disk_until_;
};

}  // namespace frond::leaf::serve
