// What every mechanism for work on several threads promises: each piece is done once, results come in order, what is in
// flight is bounded, the first error is the work's error and ends it, and so does a stop.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/threads/bounded_queue.h"
#include "common/base/threads/parallel.h"
#include "common/base/threads/task_pool.h"

namespace frond {
namespace {

constexpr std::size_t kThreads = 4, kBound = 10;

struct Job {
  std::size_t count = 0;
  std::function<Result<std::size_t>(std::size_t)> work;  // any thread
  std::function<void(std::size_t)> take = [](std::size_t) {};
  std::stop_token stop = {};
};

Result<void> outcome_of(const Job& job) {
  return job.stop.stop_requested() ? Result<void>(Error(Code::kUnavailable, "stopped")) : Result<void>();
}

// Tasks of a stream, which one thread begins and takes.
struct Tasks {
  static constexpr std::size_t kAtOnce = kThreads, kMostBegun = kBound;
  static Result<void> run(const Job& job) {
    TaskPool pool("task", kThreads);
    OrderedTasks<std::size_t> tasks(pool, kBound);
    for (std::size_t begun = 0;;) {
      for (; begun < job.count && !tasks.full() && !job.stop.stop_requested(); ++begun)
        tasks.begin(1, [&job, begun](std::size_t) { return job.work(begun); });
      if (tasks.empty()) return outcome_of(job);
      job.take(FROND_TRY(tasks.take()));
    }
  }
};

// Stages with a thread each, and queues between them.
struct Stages {
  static constexpr std::size_t kAtOnce = 1, kMostBegun = kBound / 2 + 2;  // one at each end of the second queue
  static Result<void> run(const Job& job) {
    FirstError error(job.stop);
    BoundedQueue<std::size_t> given(kBound / 2), done(kBound / 2);
    ThreadGroup threads(error);
    threads.begin("give", [&]() -> Result<void> {
      for (std::size_t i = 0; i < job.count; ++i)
        if (!given.push(i, error.token())) break;
      given.close();
      return {};
    });
    threads.begin("work", [&]() -> Result<void> {
      while (const auto i = given.pop(error.token())) done.push(FROND_TRY(job.work(*i)), error.token());
      done.close();
      return {};
    });
    threads.begin("take", [&]() -> Result<void> {
      while (const auto result = done.pop(error.token())) job.take(*result);
      return {};
    });
    threads.join();
    return error.result();
  }
};

// Pieces that threads take from one another, whose results have their places.
struct Parts {
  static constexpr std::size_t kAtOnce = kThreads, kMostBegun = ~std::size_t{0};
  static Result<void> run(const Job& job) {
    FirstError error(job.stop);
    return take_all(job, [&](const auto& work) { return in_parallel(error, job.count, kThreads, work); });
  }
  template <class Run>
  static Result<void> take_all(const Job& job, const Run& run) {
    std::vector<std::size_t> results(job.count);
    const auto work = [&](std::size_t i) -> Result<void> {
      results[i] = FROND_TRY(job.work(i));
      return {};
    };
    FROND_TRY(run(work));
    for (const std::size_t result : results) job.take(result);
    return {};
  }
};

// The same on threads that stay.
struct PartsOfAPool : Parts {
  static Result<void> run(const Job& job) {
    TaskPool pool("part", kThreads - 1);
    FirstError error(job.stop);
    return take_all(job, [&](const auto& work) { return in_parallel(pool, error, job.count, kThreads, work); });
  }
};

template <class Mechanism>
class OrderedWork : public ::testing::Test {};
using Mechanisms = ::testing::Types<Tasks, Stages, Parts, PartsOfAPool>;
TYPED_TEST_SUITE(OrderedWork, Mechanisms);

TYPED_TEST(OrderedWork, DoesEachPieceOnceAndGivesResultsInOrder) {
  for (const std::size_t count : {0, 1, 2, 2000}) {
    std::vector<std::atomic<int>> done(count);
    std::vector<std::size_t> taken;
    const auto work = [&](std::size_t i) -> Result<std::size_t> {
      volatile std::size_t busy = i * 7919 % 5000;  // later ones may end earlier
      while (busy > 0) busy = busy - 1;
      ++done[i];
      return i;
    };
    ASSERT_TRUE(TypeParam::run({count, work, [&](std::size_t i) { taken.push_back(i); }}));
    ASSERT_EQ(taken.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(taken[i] == i && done[i] == 1) << i;
  }
}

TYPED_TEST(OrderedWork, UsesAllOfItsThreadsAndNoMore) {
  std::latch all(TypeParam::kAtOnce);
  std::atomic<std::size_t> running = 0, most = 0;
  const auto work = [&](std::size_t i) -> Result<std::size_t> {
    for (std::size_t now = ++running, before = most; now > before && !most.compare_exchange_weak(before, now);)
      continue;
    if (i < TypeParam::kAtOnce) all.arrive_and_wait();  // hangs if one of them has to wait for another
    --running;
    return i;
  };
  EXPECT_TRUE(TypeParam::run({200, work}));
  EXPECT_EQ(most, TypeParam::kAtOnce);
}

TYPED_TEST(OrderedWork, BoundsWhatIsBegunAndNotTaken) {
  std::atomic<std::size_t> begun = 0, taken = 0, most = 0;
  const auto work = [&](std::size_t i) -> Result<std::size_t> {
    const std::size_t now = ++begun - taken;
    for (std::size_t before = most; now > before && !most.compare_exchange_weak(before, now);) continue;
    return i;
  };
  const auto take = [&](std::size_t i) {
    if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the others could run ahead
    ++taken;
  };
  EXPECT_TRUE(TypeParam::run({500, work, take}));
  EXPECT_EQ(taken, 500u);
  EXPECT_LE(most, TypeParam::kMostBegun);
}

TYPED_TEST(OrderedWork, EndsWithItsErrorAndBeginsNoMore) {
  constexpr std::size_t kWrong = 40, kMany = 100'000;
  for (const bool throws : {false, true}) {
    std::atomic<std::size_t> begun = 0;
    const auto work = [&](std::size_t i) -> Result<std::size_t> {
      ++begun;
      if (i != kWrong) return i;
      if (throws) throw std::runtime_error("no room");
      return Error(Code::kCorrupt, "broken");
    };
    const auto done = TypeParam::run({kMany, work});
    EXPECT_EQ(done, throws ? Code::kUnavailable : Code::kCorrupt);
    EXPECT_EQ(done.error().message(), throws ? "no room" : "broken");
    EXPECT_LT(begun, kMany / 2);
  }
}

TYPED_TEST(OrderedWork, EndsWhenItIsStopped) {
  constexpr std::size_t kMany = 100'000;
  std::stop_source stop;
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t i) -> Result<std::size_t> {
    ++begun;
    if (i == 30) stop.request_stop();
    return i;
  };
  const auto done = TypeParam::run({kMany, work, [](std::size_t) {}, stop.get_token()});
  EXPECT_EQ(done, Code::kUnavailable);
  EXPECT_EQ(done.error().message(), "stopped");
  EXPECT_LT(begun, kMany / 2);
}

}  // namespace
}  // namespace frond
