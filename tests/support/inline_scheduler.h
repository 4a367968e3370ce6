#pragma once
// Runs tasks at once on the caller's thread. For tests, whose steps then run in a fixed order. Not thread-safe.
#include <exception>

#include "leaf/schedule/scheduler.h"

namespace frond::support {

class InlineScheduler final : public leaf::schedule::Scheduler {
 public:
  explicit InlineScheduler(const Clock& clock) : clock_(clock) {}
  Result<void> admit(std::span<leaf::schedule::Task> tasks, leaf::schedule::Lane lane) override {
    if (drained_ && lane != leaf::schedule::Lane::kContinue && lane != leaf::schedule::Lane::kLast)
      return Error(Code::kUnavailable, "draining");
    for (leaf::schedule::Task& task : tasks) {
      ++running_;
      try {
        if (task.deadline.passed(clock_))
          task.run(Error(Code::kDeadline, "passed before the task started"));
        else
          task.run(std::chrono::microseconds(0));
      } catch (const std::exception&) {  // discarded, as Task::run says
      }
      task = {};  // releases what the task holds, as a worker does
      --running_;
    }
    return {};
  }
  void drain() override { drained_ = true; }
  Load load() const override { return {0, 1, 1, 1}; }
  bool runs_caller() const override { return running_ > 0; }

 private:
  const Clock& clock_;
  bool drained_ = false;
  int running_ = 0;  // tasks; more than one: a task has submitted another
};

}  // namespace frond::support
