// The first error of many threads, and threads with names and numbers.
#include "common/base/threads/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace frond {
namespace {

std::string name_of_this_thread() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

TEST(FirstError, KeepsTheFirstAndStopsTheRest) {
  FirstError error;
  EXPECT_TRUE(error.result());
  error.guard([]() -> Result<void> { return Error(Code::kInvalid, "one"); });
  error.guard([]() -> Result<void> { throw std::runtime_error("two"); });
  EXPECT_TRUE(error.token().stop_requested());
  EXPECT_EQ(error.result(), Code::kInvalid);
}

TEST(FirstError, CallsAStopFromOutsideUnavailable) {
  std::stop_source outside;
  FirstError error(outside.get_token());
  outside.request_stop();
  EXPECT_TRUE(error.token().stop_requested());
  EXPECT_EQ(error.result(), Code::kUnavailable);
}

TEST(FirstError, TurnsWhatIsThrownIntoAnError) {
  FirstError error;
  error.guard([]() -> Result<void> { throw std::bad_alloc(); });
  EXPECT_EQ(error.result(), Code::kUnavailable);
}

TEST(ThreadGroup, GivesItsThreadsTheirNames) {
  FirstError error;
  std::string one, two;
  ThreadGroup threads(error);
  const auto note = [](std::string& name) {
    return [&name]() -> Result<void> {
      name = name_of_this_thread();
      return {};
    };
  };
  threads.begin("one", note(one));
  threads.begin("two", note(two));
  threads.join();
  EXPECT_EQ(one + two, "onetwo");
}

TEST(InParallel, HasAPieceAtATimeForEachNumberOfAThread) {
  for (const std::size_t threads : {1, 5}) {
    FirstError error;
    std::vector<std::atomic<int>> busy(threads);
    EXPECT_TRUE(in_parallel(error, 1000, threads, [&](std::size_t, std::size_t thread) -> Result<void> {
      EXPECT_EQ(busy.at(thread)++, 0);
      std::this_thread::yield();
      --busy[thread];
      return {};
    }));
  }
}

TEST(InParallel, TakesTheNameOfWhoCalls) {
  std::vector<std::string> names(100);
  std::thread caller([&] {
    name_this_thread("caller");
    ASSERT_TRUE(in_parallel(names.size(), 4, [&](std::size_t i) -> Result<void> {
      names[i] = name_of_this_thread();
      return {};
    }));
  });
  caller.join();
  EXPECT_EQ(names, std::vector<std::string>(100, "caller"));
}

}  // namespace
}  // namespace frond
