// Every promise of scheduler.h that all implementations keep. What only a queue can do (refusals when it is full, the
// order of lanes, bounds) is in tests/unit/leaf/schedule.
#include "leaf/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "leaf/schedule/worker_pool.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/inline_scheduler.h"

namespace frond::leaf::schedule {
namespace {

using Waited = Result<std::chrono::microseconds>;

struct Implementation {
  std::string name;
  std::unique_ptr<Scheduler> (*make)(const Clock& clock);
};

class EveryScheduler : public testing::TestWithParam<Implementation> {
 protected:
  static std::vector<Task> tasks_of(std::size_t count, std::function<void(Waited)> run,
                                    Deadline deadline = Deadline::never()) {
    Task task;
    task.deadline = deadline;
    task.run = std::move(run);
    return {count, task};
  }

  support::ManualClock clock_;
  const std::unique_ptr<Scheduler> scheduler_ = GetParam().make(clock_);
};

constexpr Lane kLanes[] = {Lane::kSearch, Lane::kContinue, Lane::kInteractive};

TEST_P(EveryScheduler, RunsEveryTaskOnce) {
  std::atomic<int> runs{0};
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(
        scheduler_->submit(tasks_of(5, [&](const Waited& waited) { runs += waited.has_value(); }), kLanes[i % 3]));
  scheduler_->drain();
  EXPECT_EQ(runs, 1500);
}

TEST_P(EveryScheduler, AdmitsAGroupOfNothing) {
  for (const Lane lane : kLanes) EXPECT_TRUE(scheduler_->submit({}, lane));
}

TEST_P(EveryScheduler, AdmitsAGroupLargerThanItsQueueWhenNothingWaits) {
  std::atomic<int> runs{0};
  const std::size_t more = scheduler_->load().limit + 1;
  ASSERT_TRUE(scheduler_->submit(tasks_of(more, [&](const Waited&) { ++runs; }), Lane::kSearch));
  scheduler_->drain();
  EXPECT_EQ(runs, static_cast<int>(more));
}

TEST_P(EveryScheduler, TellsATaskHowLongItWaited) {
  std::atomic<std::int64_t> waited_us{-1};
  ASSERT_TRUE(
      scheduler_->submit(tasks_of(1, [&](const Waited& waited) { waited_us = waited->count(); }), Lane::kSearch));
  scheduler_->drain();
  EXPECT_EQ(waited_us, 0) << "the clock stands still";
}

TEST_P(EveryScheduler, DropsATaskThatIsPastItsDeadlineBeforeItStarts) {
  std::atomic<int> dropped{0}, ran{0};
  const auto count = [&](const Waited& waited) { ++(waited == Code::kDeadline ? dropped : ran); };
  const Deadline late = Deadline::after(clock_, std::chrono::milliseconds(5));
  const Deadline later = Deadline::after(clock_, std::chrono::milliseconds(50));
  clock_.advance(std::chrono::milliseconds(5));
  for (const Lane lane : kLanes) {
    ASSERT_TRUE(scheduler_->submit(tasks_of(2, count, late), lane));
    ASSERT_TRUE(scheduler_->submit(tasks_of(1, count, later), lane));
  }
  scheduler_->drain();
  EXPECT_EQ(dropped, 6);
  EXPECT_EQ(ran, 3);
}

TEST_P(EveryScheduler, DropsATaskThatIsCancelledBeforeItStarts) {
  Cancellation cancellation;
  cancellation.cancel();
  std::atomic<int> dropped{0}, ran{0};
  const auto count = [&](const Waited& waited) { ++(waited == Code::kDeadline ? dropped : ran); };
  ASSERT_TRUE(scheduler_->submit(tasks_of(3, count, Deadline::never().or_when(cancellation)), Lane::kSearch));
  ASSERT_TRUE(scheduler_->submit(tasks_of(1, count), Lane::kSearch));
  scheduler_->drain();
  EXPECT_EQ(dropped, 3);
  EXPECT_EQ(ran, 1);
}

TEST_P(EveryScheduler, DiscardsWhatATaskThrows) {
  std::atomic<int> runs{0};
  std::vector<Task> tasks = tasks_of(3, [&](const Waited&) { ++runs; });
  tasks[1].run = [](const Waited&) { throw std::runtime_error("no memory"); };
  ASSERT_TRUE(scheduler_->submit(std::move(tasks), Lane::kSearch));
  scheduler_->drain();
  EXPECT_EQ(runs, 2);
}

TEST_P(EveryScheduler, LetsTasksSubmitWhileTheyRun) {
  std::atomic<int> runs{0};
  const auto again = [&](const Waited&) {
    for (const Lane lane : kLanes) EXPECT_TRUE(scheduler_->submit(tasks_of(1, [&](const Waited&) { ++runs; }), lane));
  };
  std::atomic<bool> submitted{false};
  ASSERT_TRUE(scheduler_->submit(tasks_of(1,
                                          [&](const Waited& waited) {
                                            again(waited);
                                            submitted = true;
                                            submitted.notify_one();
                                          }),
                                 Lane::kSearch));
  submitted.wait(false);  // a drain before it would refuse two of them
  scheduler_->drain();
  EXPECT_EQ(runs, 3);
}

TEST_P(EveryScheduler, KnowsItsOwnTasks) {
  std::atomic<int> own{0};
  EXPECT_FALSE(scheduler_->runs_caller());
  for (const Lane lane : kLanes)
    ASSERT_TRUE(scheduler_->submit(tasks_of(1, [&](const Waited&) { own += scheduler_->runs_caller(); }), lane));
  scheduler_->drain();
  EXPECT_EQ(own, static_cast<int>(std::size(kLanes)));
  EXPECT_FALSE(scheduler_->runs_caller());
}

TEST_P(EveryScheduler, RunsATaskHereOnceOrNotAtAll) {
  std::thread::id ran;
  Task task{Deadline::never(), [&](const Waited& waited) {
              EXPECT_EQ(waited->count(), 0);
              EXPECT_TRUE(scheduler_->runs_caller());
              ran = std::this_thread::get_id();
            }};
  const bool here = scheduler_->run_here(task);
  EXPECT_EQ(ran, here ? std::this_thread::get_id() : std::thread::id());
  EXPECT_FALSE(scheduler_->runs_caller());
  scheduler_->drain();
  Task after{Deadline::never(), [](const Waited&) { ADD_FAILURE() << "ran"; }};
  EXPECT_FALSE(scheduler_->run_here(after));
  EXPECT_TRUE(after.run) << "the caller still has it";
}

TEST_P(EveryScheduler, RefusesNewWorkOnceDrained) {
  scheduler_->drain();
  const auto refused = [](const Waited&) { ADD_FAILURE() << "ran"; };
  EXPECT_EQ(scheduler_->submit(tasks_of(1, refused), Lane::kSearch), Code::kUnavailable);
  EXPECT_EQ(scheduler_->submit(tasks_of(1, refused), Lane::kInteractive), Code::kUnavailable);
  scheduler_->drain();
}

TEST_P(EveryScheduler, ContinuesWhatWasAdmittedOnceDrained) {
  scheduler_->drain();
  std::atomic<int> runs{0};
  const auto second = [&](const Waited& waited) { runs += waited.has_value(); };
  const auto first = [&](const Waited& waited) {
    runs += waited.has_value();
    EXPECT_TRUE(scheduler_->submit(tasks_of(1, second), Lane::kContinue));
  };
  EXPECT_TRUE(scheduler_->submit(tasks_of(1, first), Lane::kContinue));
  scheduler_->drain();
  EXPECT_EQ(runs, 2);
}

TEST_P(EveryScheduler, HasReleasedItsTasksWhenItIsDrained) {
  const auto held = std::make_shared<int>(0);
  ASSERT_TRUE(scheduler_->submit(tasks_of(10, [held](const Waited&) { EXPECT_EQ(*held, 0); }), Lane::kSearch));
  scheduler_->drain();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(EveryScheduler, CountsItsWorkersAndWhatWaits) {
  EXPECT_GE(scheduler_->load().workers, 1u);
  EXPECT_GE(scheduler_->load().limit, 1u);
  scheduler_->drain();
  EXPECT_EQ(scheduler_->load().waiting, 0u);
}

const Implementation kImplementations[] = {
    {"Inline",
     [](const Clock& clock) -> std::unique_ptr<Scheduler> {
       return std::make_unique<support::InlineScheduler>(clock);
     }},
    {"OneWorker",
     [](const Clock& clock) -> std::unique_ptr<Scheduler> {
       return std::make_unique<WorkerPool>(WorkerPool::Options{1, 10'000}, clock, nullptr);
     }},
    {"FourWorkers",
     [](const Clock& clock) -> std::unique_ptr<Scheduler> {
       return std::make_unique<WorkerPool>(WorkerPool::Options{4, 10'000}, clock, nullptr);
     }},
};
INSTANTIATE_TEST_SUITE_P(Schedulers, EveryScheduler, testing::ValuesIn(kImplementations),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace frond::leaf::schedule
