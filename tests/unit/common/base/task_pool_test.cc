// Tasks of many streams are carried out by all threads; each stream gets its results in order.
#include "common/base/threads/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <set>

namespace frond {
namespace {

TEST(OrderedTasks, GiveResultsInTheOrderInWhichTasksWereBegun) {
  TaskPool pool("worker", 4);
  ASSERT_EQ(pool.threads(), 4u);
  const auto stream = [&pool](std::uint32_t count) {
    OrderedTasks<std::uint32_t> tasks(pool, 8);
    std::vector<std::uint32_t> got;
    for (std::uint32_t i = 0; i < count; ++i) {
      while (tasks.full()) got.push_back(tasks.take().value());
      tasks.begin(1, [i](std::size_t) -> Result<std::uint32_t> {
        volatile std::uint32_t busy = i * 7919 % 20'000;  // later tasks may end earlier
        while (busy > 0) busy = busy - 1;
        return i;
      });
    }
    while (!tasks.empty()) got.push_back(tasks.take().value());
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(got.at(i), i);
    ASSERT_EQ(got.size(), count);
  };
  std::vector<std::jthread> streams;
  for (const std::uint32_t count : {0u, 1u, 500u, 700u}) streams.emplace_back([&stream, count] { stream(count); });
}

TEST(OrderedTasks, AreBoundedByTheirBytesButAlwaysMayBeginOne) {
  TaskPool pool("worker", 1);
  OrderedTasks<int> tasks(pool, 100);
  const auto nothing = [](std::size_t) -> Result<int> { return 0; };
  EXPECT_FALSE(tasks.full());
  tasks.begin(1000, nothing);
  EXPECT_TRUE(tasks.full());
  EXPECT_TRUE(tasks.take());
  EXPECT_FALSE(tasks.full());
  tasks.begin(60, nothing);
  EXPECT_FALSE(tasks.full());
  tasks.begin(60, nothing);
  EXPECT_TRUE(tasks.full());
}  // the destructor waits for both

TEST(OrderedTasks, TakeResultsThatTheCallerHasAmongTheOthers) {
  TaskPool pool("worker", 1);
  OrderedTasks<int> tasks(pool, 100);
  EXPECT_FALSE(tasks.ready());
  std::atomic<bool> go = false;
  tasks.begin(60, [&go](std::size_t) -> Result<int> {
    go.wait(false);
    return 1;
  });
  tasks.put(40, 2);
  EXPECT_TRUE(tasks.full());
  EXPECT_FALSE(tasks.ready()) << "the oldest is not done";
  go = true;
  go.notify_all();
  EXPECT_EQ(tasks.take().value(), 1);
  EXPECT_TRUE(tasks.ready());
  EXPECT_EQ(tasks.take().value(), 2);
  tasks.put(1, Error(Code::kCorrupt, "broken"));
  EXPECT_EQ(tasks.take(), Code::kCorrupt);
}

// A task that can't be added, for lack of memory for example, is not waited for.
struct CantBeKept {
  CantBeKept() = default;
  CantBeKept(const CantBeKept&) { throw std::bad_alloc(); }
  Result<int> operator()(std::size_t) const { return 1; }
};
TEST(OrderedTasks, ForgetATaskThatCannotBeAdded) {
  TaskPool pool("worker", 1);
  OrderedTasks<int> tasks(pool, 100);
  EXPECT_THROW(tasks.begin<const CantBeKept&>(60, CantBeKept()), std::bad_alloc);
  EXPECT_TRUE(tasks.empty());
}

TEST(OrderedTasks, KeepErrorsAndTurnExceptionsIntoErrors) {
  TaskPool pool("worker", 2);
  OrderedTasks<int> tasks(pool, 100);
  tasks.begin(1, [](std::size_t) -> Result<int> { return Error(Code::kCorrupt, "broken"); });
  tasks.begin(1, [](std::size_t) -> Result<int> { throw std::bad_alloc(); });
  tasks.begin(1, [](std::size_t) -> Result<int> { return 3; });
  EXPECT_EQ(tasks.take(), Code::kCorrupt);
  EXPECT_EQ(tasks.take(), Code::kUnavailable);
  EXPECT_EQ(tasks.take().value(), 3);
}

TEST(OrderedTasks, KnowWhichThreadRunsThem) {
  TaskPool pool("worker", 3);
  OrderedTasks<std::size_t> tasks(pool, 1000);
  for (int i = 0; i < 100; ++i) tasks.begin(1, [](std::size_t worker) -> Result<std::size_t> { return worker; });
  while (!tasks.empty()) EXPECT_LT(tasks.take().value(), 3u);
}

}  // namespace
}  // namespace frond
