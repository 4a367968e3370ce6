#pragma once
// A leaf's workers in virtual time: a Scheduler whose tasks take as long as the run's choices say. The queue is
// bounded, and tasks that are late or cancelled are dropped, as scheduler.h has it. It takes the place of WorkerPool,
// which is made of threads.
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <utility>

#include "leaf/schedule/scheduler.h"
#include "tests/simulation/run.h"

namespace frond::simulation {

class VirtualWorkers final : public leaf::schedule::Scheduler {
 public:
  // Runs an action of the leaf's process after a time of work, later while the process is stopped, never if it died.
  using Work = std::function<void(microseconds, std::function<void()>)>;
  struct Options {
    std::size_t workers = 2, limit = 16;
    microseconds least{50}, most{2'000};
  };

  VirtualWorkers(Run& run, Options options, Work work) : run_(run), options_(options), work_(std::move(work)) {}

  Result<void> admit(std::span<leaf::schedule::Task> tasks, leaf::schedule::Lane lane) override {
    using leaf::schedule::Lane;
    const bool goes_on = lane == Lane::kContinue || lane == Lane::kLast;
    if (draining_ && !goes_on) return Error(Code::kUnavailable, "draining");
    if (!goes_on && !waiting_.empty() && waiting_.size() + tasks.size() > options_.limit)
      return Error(Code::kOverloaded, "the queue is full");
    for (leaf::schedule::Task& task : tasks) {
      Waiting one{std::move(task), run_.now(), {}, false};
      if (lane == Lane::kSearch || lane == Lane::kLast)
        waiting_.push_back(std::move(one));
      else
        waiting_.push_front(std::move(one));
    }
    begin();
    return {};
  }
  void drain() override { draining_ = true; }
  Load load() const override { return {waiting_.size(), options_.limit, options_.workers, running_.size()}; }
  bool runs_caller() const override { return inside_; }
  // Lets go of all tasks, as a process that dies.
  void clear() {
    waiting_.clear();
    running_.clear();
  }
  bool idle() const { return waiting_.empty() && running_.empty(); }
  void be_slower(std::int64_t times) { slowness_ = times; }

 private:
  struct Waiting {
    leaf::schedule::Task task;
    Instant since;
    microseconds waited{0};
    bool late = false;  // when it was taken
  };
  void begin() {
    while (running_.size() < options_.workers && !waiting_.empty()) {
      const std::uint64_t number = ++last_;
      Waiting& one = running_.emplace(number, std::move(waiting_.front())).first->second;
      waiting_.pop_front();
      one.late = one.task.deadline.passed(run_.clock);
      one.waited = std::chrono::duration_cast<microseconds>(run_.now() - one.since);
      const auto cost = one.late ? microseconds(1) : slowness_ * run_.random.time(options_.least, options_.most);
      work_(cost, [this, number] { end(number); });
    }
  }
  void end(std::uint64_t number) {
    Waiting& one = running_.at(number);
    const bool outer = std::exchange(inside_, true);
    try {
      one.task.run(one.late ? Result<microseconds>(Error(Code::kDeadline, "passed before the task started"))
                            : Result<microseconds>(one.waited));
    } catch (const std::exception&) {  // discarded, as Task::run says
    }
    inside_ = outer;
    running_.erase(number);
    begin();
  }

  Run& run_;
  const Options options_;
  const Work work_;
  std::deque<Waiting> waiting_;
  std::map<std::uint64_t, Waiting> running_;
  std::int64_t slowness_ = 1;
  std::uint64_t last_ = 0;
  bool draining_ = false, inside_ = false;
};

}  // namespace frond::simulation
