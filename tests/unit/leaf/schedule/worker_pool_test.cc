// The promises of scheduler.h, on the pool of threads.
#include "leaf/schedule/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/unit/leaf/schedule/worker_pool_fixture.h"

namespace frond::leaf::schedule {
namespace {

TEST(WorkerPool, RunsEveryTaskOnce) {
  const SteadyClock clock;
  WorkerPool pool({4, 100'000}, clock, nullptr);
  std::atomic<int> runs{0};
  for (int i = 0; i < 1000; ++i) {
    const Lane lane = i % 3 == 0 ? Lane::kInteractive : Lane::kSearch;
    ASSERT_TRUE(pool.submit(tasks_of(5, [&](const Waited& waited) { runs += waited.has_value(); }), lane));
  }
  pool.drain();
  EXPECT_EQ(runs, 5000);
  EXPECT_EQ(pool.load().waiting, 0u);
}

TEST(WorkerPool, RunsATaskHereWhileItsWorkersAreBusyButNoneWaits) {
  const ManualClock clock;
  WorkerPool pool({1, 4}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  int runs = 0;
  Task one{Deadline::never(), [&](const Waited&) {
             ++runs;
             EXPECT_EQ(pool.load().running, 2u);
           }};
  EXPECT_TRUE(pool.run_here(one));
  EXPECT_EQ(runs, 1);
  ASSERT_TRUE(pool.submit(tasks_of(1, [](const Waited&) {}), Lane::kSearch));  // waits
  Task another{Deadline::never(), [&](const Waited&) { ++runs; }};
  EXPECT_FALSE(pool.run_here(another));
  EXPECT_EQ(runs, 1);
  gate.open();
  pool.drain();
  EXPECT_EQ(pool.load().running, 0u);
}

TEST(WorkerPool, RunsATaskHereWhoseTurnIsNext) {
  ManualClock clock;
  WorkerPool pool({1, 4}, clock, nullptr);
  Gate gate;
  std::vector<Task> first = gate.task();
  first[0].client = {.id = 1};
  ASSERT_TRUE(pool.submit(std::move(first), Lane::kSearch));
  gate.wait_until_entered();
  std::vector<Task> waiting = tasks_of(2, [](const Waited&) {});
  for (Task& task : waiting) task.client = {.id = 1};
  ASSERT_TRUE(pool.submit(std::move(waiting), Lane::kSearch));
  int runs = 0;
  const auto run_here = [&](std::uint32_t client) {
    Task task{Deadline::never(), [&](const Waited&) {
                ++runs;
                clock.advance(std::chrono::milliseconds(1));
              }};
    task.client = {.id = client};
    return pool.run_here(task);
  };
  EXPECT_FALSE(run_here(1)) << "its own searches wait";
  EXPECT_TRUE(run_here(2)) << "it has had nothing";
  EXPECT_FALSE(run_here(2)) << "now it has had more than the other, of which nothing is known yet";
  EXPECT_TRUE(run_here(3));
  EXPECT_EQ(runs, 2);
  gate.open();
  pool.drain();
}

TEST(WorkerPool, RunsLittleSearchesBesideThoseOfAnotherClient) {
  ManualClock clock;
  Gate gate;  // outlives the pool's threads, as does the latch
  std::latch ran(1);
  WorkerPool pool({1, 10}, clock, nullptr);
  const auto submit = [&](std::uint32_t client, std::vector<Task> tasks) {
    for (Task& task : tasks) task.client = {.id = client};
    ASSERT_TRUE(pool.submit(std::move(tasks), Lane::kSearch));
  };
  submit(1, tasks_of(1, [&](const Waited&) { clock.advance(std::chrono::milliseconds(10)); }));
  submit(2, tasks_of(1, [](const Waited&) {}));
  while (pool.load().waiting + pool.load().running != 0) std::this_thread::yield();
  submit(1, gate.task());
  gate.wait_until_entered();
  submit(1, tasks_of(2, [](const Waited&) {}));
  submit(2, tasks_of(1, [&](const Waited&) { ran.count_down(); }));
  ran.wait();  // hangs if it has to wait for the worker
  EXPECT_EQ(pool.load().waiting, 2u) << "the other's still wait";
  gate.open();
  pool.drain();
}

// Workers may be busy for long with what was not given up.
TEST(WorkerPool, TellsATaskHowLongItWaited) {
  ManualClock clock;
  WorkerPool pool({1, 10}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  std::atomic<std::int64_t> waited_us{0};
  ASSERT_TRUE(pool.submit(tasks_of(1, [&](const Waited& waited) { waited_us = waited->count(); }), Lane::kSearch));
  clock.advance(std::chrono::microseconds(1234));
  gate.open();
  pool.drain();
  EXPECT_EQ(waited_us, 1234);
}

TEST(WorkerPool, RunsInteractiveTasksWhileEveryWorkerIsBusy) {
  const ManualClock clock;
  Gate first, second;  // outlive the pool's threads, as does the latch
  std::latch fetched(1);
  WorkerPool pool({2, 10}, clock, nullptr);
  ASSERT_TRUE(pool.submit(first.task(), Lane::kSearch));
  ASSERT_TRUE(pool.submit(second.task(), Lane::kSearch));
  first.wait_until_entered();
  second.wait_until_entered();
  ASSERT_TRUE(pool.submit(tasks_of(1, [&](const Waited&) { fetched.count_down(); }), Lane::kInteractive));
  fetched.wait();  // hangs if it has to wait for a worker
  first.open();
  second.open();
}

TEST(WorkerPool, BeginsWithTheLightestAndForgetsNobody) {
  ManualClock clock;
  WorkerPool pool({1, 100}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  std::string order;
  for (const auto& [name, weight] : {std::pair{"H", ~std::uint64_t{0}}, {"c", 10'000'000}, {"b", 100'000}, {"a", 0}})
    for (int i = 0; i < (weight == 0 ? 9 : 1); ++i) {
      auto tasks = tasks_of(1, [&order, name = name](const Waited&) { order += name; });
      tasks[0].weight = weight;
      clock.advance(std::chrono::milliseconds(1));
      ASSERT_TRUE(pool.submit(std::move(tasks), Lane::kSearch));
    }
  gate.open();
  pool.drain();
  // The gate was the first search that was begun, so the seventh of these is the eighth.
  EXPECT_EQ(order, "aaaaaaHaaabc") << "the eighth is the one that has waited longest";
}

TEST(WorkerPool, TakesWhatIsForTheEndWhenItIsOlderThanTheSearchThatIsNext) {
  for (const bool older : {true, false}) {
    ManualClock clock;
    WorkerPool pool({1, 100}, clock, nullptr);
    Gate gate;
    ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
    gate.wait_until_entered();
    std::string order;
    const auto submit = [&](std::string name, Lane lane, std::uint32_t client) {
      auto tasks = tasks_of(1, [&order, name](const Waited&) { order += name; });
      tasks[0].client = {.id = client};
      ASSERT_TRUE(pool.submit(std::move(tasks), lane));
      clock.advance(std::chrono::milliseconds(1));
    };
    if (older) submit("L", Lane::kLast, 0);
    for (int i = 0; i < 8; ++i) submit("a", Lane::kSearch, 1);
    if (!older) submit("L", Lane::kLast, 0);
    gate.open();
    pool.drain();
    EXPECT_EQ(order, older ? "aaaaaaLaa" : "aaaaaaaaL");
  }
}

TEST(WorkerPool, ContinuesBeforeItBegins) {
  const ManualClock clock;
  WorkerPool pool({1, 10}, clock, nullptr);
  Gate gate;
  ASSERT_TRUE(pool.submit(gate.task(), Lane::kSearch));
  gate.wait_until_entered();
  std::string order;  // one worker: no race
  ASSERT_TRUE(pool.submit(tasks_of(1, [&](const Waited&) { order += "new "; }), Lane::kSearch));
  ASSERT_TRUE(pool.submit(tasks_of(1, [&](const Waited&) { order += "continued "; }), Lane::kContinue));
  gate.open();
  pool.drain();
  EXPECT_EQ(order, "continued new ");
}

TEST(WorkerPool, DrainsWhatItTookAndWhatThatSubmits) {
  const SteadyClock clock;
  WorkerPool pool({2, 100}, clock, nullptr);
  std::atomic<int> runs{0};
  ASSERT_TRUE(pool.submit(tasks_of(10,
                                   [&](const Waited&) {
                                     EXPECT_TRUE(
                                         pool.submit(tasks_of(1, [&](const Waited&) { ++runs; }), Lane::kContinue));
                                   }),
                          Lane::kSearch));
  pool.drain();
  EXPECT_EQ(runs, 10);
  EXPECT_EQ(pool.submit(tasks_of(1, [](const Waited&) {}), Lane::kSearch), Code::kUnavailable);
  EXPECT_EQ(pool.submit(tasks_of(1, [](const Waited&) {}), Lane::kInteractive), Code::kUnavailable);
}

TEST(WorkerPool, SurvivesATaskThatThrows) {
  const SteadyClock clock;
  WorkerPool pool({1, 100}, clock, nullptr);
  std::atomic<int> runs{0};
  ASSERT_TRUE(pool.submit(tasks_of(1, [](const Waited&) { throw std::runtime_error("no memory"); }), Lane::kSearch));
  ASSERT_TRUE(pool.submit(tasks_of(1, [&](const Waited&) { ++runs; }), Lane::kSearch));
  pool.drain();
  EXPECT_EQ(runs, 1);
}

TEST(WorkerPool, IsOfUseWhileOneWorkerIsNotPastItsDeadline) {
  ManualClock clock;
  WorkerPool pool({1, 4}, clock, nullptr);  // and the one for interactive tasks
  const Instant start = clock.now();
  EXPECT_EQ(pool.turned(), start);
  Gate search, fetch;
  const auto with = [](std::vector<Task> tasks, Deadline deadline) {
    tasks[0].deadline = deadline;
    return tasks;
  };
  ASSERT_TRUE(pool.submit(with(search.task(), Deadline::at(start + std::chrono::seconds(2))), Lane::kSearch));
  search.wait_until_entered();
  clock.advance(std::chrono::seconds(30));
  EXPECT_EQ(pool.turned(), clock.now()) << "the other is idle";
  ASSERT_TRUE(pool.submit(with(fetch.task(), Deadline::at(start + std::chrono::seconds(40))), Lane::kInteractive));
  fetch.wait_until_entered();
  EXPECT_EQ(pool.turned(), clock.now());
  clock.advance(std::chrono::seconds(30));
  EXPECT_EQ(pool.turned(), start + std::chrono::seconds(40)) << "both are late";
  search.open();
  fetch.open();
  pool.drain();
  EXPECT_EQ(pool.turned(), clock.now());
}

}  // namespace
}  // namespace frond::leaf::schedule
