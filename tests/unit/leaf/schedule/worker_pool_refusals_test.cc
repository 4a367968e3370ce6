// What the pool of threads refuses at the door, and what it drops later.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include "tests/unit/leaf/schedule/worker_pool_fixture.h"

namespace frond::leaf::schedule {
namespace {

TEST(WorkerPool, RefusesAWholeGroupAtTheDoorWhenItsQueueIsFull) {
  const ManualClock clock;
  metrics::Registry registry("test");
  WorkerPool pool({1, 4}, clock, &registry);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  std::atomic<int> runs{0};
  const auto counted = [&](std::size_t count) { return tasks_of(count, [&](const Waited&) { ++runs; }); };
  EXPECT_TRUE(pool.submit(counted(3), Lane::kSearch));
  EXPECT_EQ(pool.submit(counted(2), Lane::kSearch), Code::kOverloaded);
  EXPECT_TRUE(pool.submit(counted(1), Lane::kSearch));
  EXPECT_EQ(pool.submit(counted(1), Lane::kSearch), Code::kOverloaded);
  EXPECT_EQ(pool.load().waiting, 4u);
  EXPECT_TRUE(pool.submit(counted(1), Lane::kContinue));  // part of what was admitted
  gate.open();
  pool.drain();
  EXPECT_EQ(runs, 5);
  EXPECT_NE(registry.exposition().find("frond_leaf_tasks_refused_total{pool=\"usual\"} 3"), std::string::npos);
}

TEST(WorkerPool, KeepsPlacesInItsQueueForOtherClients) {
  const ManualClock clock;
  WorkerPool pool({1, 80}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  const auto submit = [&](std::uint32_t client) {
    std::vector<Task> tasks = tasks_of(1, [](const Waited&) {});
    tasks[0].client = {.id = client};
    return pool.submit(std::move(tasks), Lane::kSearch);
  };
  const auto all_that_may_wait = [&](std::uint32_t client) {
    std::size_t count = 0;
    while (submit(client)) ++count;
    return count;
  };
  EXPECT_EQ(all_that_may_wait(1), 70u) << "seven eighths";
  EXPECT_TRUE(submit(2));
  EXPECT_EQ(submit(1), Code::kOverloaded) << "also while another one's waits";
  EXPECT_EQ(all_that_may_wait(2), 8u);
  EXPECT_TRUE(submit(3)) << "who comes last finds room";
  EXPECT_EQ(submit(4), Code::kOverloaded);
  EXPECT_EQ(pool.load().waiting, 80u);
  gate.open();
  pool.drain();
}

TEST(WorkerPool, TakesAGroupLargerThanItsQueueWhenNothingWaits) {
  const ManualClock clock;
  WorkerPool pool({1, 4}, clock, nullptr);
  std::atomic<int> runs{0};
  EXPECT_TRUE(pool.submit(tasks_of(50, [&](const Waited&) { ++runs; }), Lane::kSearch));
  pool.drain();
  EXPECT_EQ(runs, 50);
}

TEST(WorkerPool, RefusesAtOnceWhatWouldComeTooLate) {
  for (const bool refuse_late : {false, true}) {
    ManualClock clock;
    metrics::Registry registry("test");
    WorkerPool pool({.workers = 1, .queue_limit = 1000, .refuse_late = refuse_late}, clock, &registry);
    // Each search takes a millisecond.
    const auto search = [&](const Waited&) { clock.advance(std::chrono::milliseconds(1)); };
    ASSERT_TRUE(pool.submit(tasks_of(200, search), Lane::kSearch));
    while (pool.load().waiting + pool.load().running != 0) std::this_thread::yield();
    Gate gate;
    ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
    gate.wait_until_entered();
    const auto within = [&](std::int64_t ms) { return Deadline::after(clock, std::chrono::milliseconds(ms)); };
    EXPECT_TRUE(pool.submit(tasks_of(1, search, within(1)), Lane::kSearch)) << "nothing waits";
    ASSERT_TRUE(pool.submit(tasks_of(99, search), Lane::kSearch));
    EXPECT_EQ(pool.submit(tasks_of(1, search, within(50)), Lane::kSearch).has_value(), !refuse_late);
    EXPECT_TRUE(pool.submit(tasks_of(1, search, within(150)), Lane::kSearch));
    EXPECT_TRUE(pool.submit(tasks_of(1, search, within(50)), Lane::kInteractive));
    EXPECT_TRUE(pool.submit(tasks_of(1, search, within(50)), Lane::kContinue));
    EXPECT_EQ(registry.exposition().find("frond_leaf_schedule_refused_total{reason=\"late\"} 1") != std::string::npos,
              refuse_late);
    EXPECT_NE(registry.exposition().find("frond_leaf_tasks_refused_total{pool=\"usual\"} 0"), std::string::npos);
    gate.open();
    pool.drain();
  }
}

TEST(WorkerPool, DropsWhatIsPastItsDeadlineBeforeItStarts) {
  ManualClock clock;
  WorkerPool pool({1, 10}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  std::atomic<int> dropped{0}, run{0};
  const auto count = [&](const Waited& waited) { ++(waited == Code::kDeadline ? dropped : run); };
  const Deadline soon = Deadline::after(clock, std::chrono::milliseconds(5));
  const Deadline later = Deadline::after(clock, std::chrono::milliseconds(50));
  ASSERT_TRUE(pool.submit(tasks_of(2, count, soon), Lane::kSearch));
  ASSERT_TRUE(pool.submit(tasks_of(1, count, later), Lane::kSearch));
  clock.advance(std::chrono::milliseconds(5));
  gate.open();
  pool.drain();
  EXPECT_EQ(dropped, 2);
  EXPECT_EQ(run, 1);
}

TEST(WorkerPool, DropsWhatIsCancelledBeforeItStarts) {
  const ManualClock clock;
  metrics::Registry registry("test");
  WorkerPool pool({1, 10}, clock, &registry);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  Cancellation cancellation;
  std::atomic<int> dropped{0}, ran{0};
  const auto count = [&](const Waited& waited) { ++(waited == Code::kDeadline ? dropped : ran); };
  ASSERT_TRUE(pool.submit(tasks_of(3, count, Deadline::never().or_when(cancellation)), Lane::kSearch));
  ASSERT_TRUE(pool.submit(tasks_of(1, count), Lane::kSearch));
  cancellation.cancel();
  gate.open();
  pool.drain();
  EXPECT_EQ(dropped, 3);
  EXPECT_EQ(ran, 1);
  EXPECT_NE(registry.exposition().find("frond_leaf_tasks_expired_total{pool=\"usual\"} 0"), std::string::npos)
      << "nobody was late";
}

TEST(WorkerPool, TakesNewTasksInsteadOfThoseThatNobodyWaitsFor) {
  ManualClock clock;
  WorkerPool pool({1, 4}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  Cancellation cancellation;
  std::latch dropped(3);
  std::atomic<int> ran{0};
  const auto count = [&](const Waited& waited) {
    if (waited)
      ++ran;
    else
      dropped.count_down();
  };
  ASSERT_TRUE(pool.submit(tasks_of(3, count, Deadline::never().or_when(cancellation)), Lane::kSearch));
  ASSERT_TRUE(pool.submit(tasks_of(1, count), Lane::kSearch));
  EXPECT_EQ(pool.submit(tasks_of(1, count), Lane::kSearch), Code::kOverloaded);
  cancellation.cancel();
  EXPECT_EQ(pool.submit(tasks_of(3, count), Lane::kSearch), Code::kOverloaded) << "it has just looked";
  clock.advance(WorkerPool::kSweepEvery);
  ASSERT_TRUE(pool.submit(tasks_of(3, count), Lane::kSearch));
  dropped.wait();  // while the only worker is busy
  gate.open();
  pool.drain();
  EXPECT_EQ(ran, 4);
}

}  // namespace
}  // namespace frond::leaf::schedule
