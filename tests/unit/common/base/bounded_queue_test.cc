// Bounded queues, and the first error of many threads.
#include "common/base/threads/bounded_queue.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "common/base/threads/parallel.h"

namespace frond {
namespace {

TEST(BoundedQueue, HandsEverythingOverInOrder) {
  BoundedQueue<int> queue(3);
  std::jthread producer([&](std::stop_token stop) {
    for (int i = 0; i < 10'000; ++i) queue.push(i, stop);
    queue.close();
  });
  int expected = 0;
  while (const auto item = queue.pop({})) EXPECT_EQ(*item, expected++);
  EXPECT_EQ(expected, 10'000);
  EXPECT_FALSE(queue.push(1, {})) << "closed";
}

TEST(BoundedQueue, LetsGoOfThoseWhoWaitWhenAStopIsRequested) {
  BoundedQueue<int> empty(1), full(1);
  std::stop_source stop;
  ASSERT_TRUE(full.push(1, stop.get_token()));
  std::jthread a([&] { EXPECT_EQ(empty.pop(stop.get_token()), std::nullopt); });
  std::jthread b([&] { EXPECT_FALSE(full.push(2, stop.get_token())); });
  stop.request_stop();
}

TEST(FirstError, KeepsTheFirstAndStopsTheRest) {
  FirstError error({});
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
  FirstError error({});
  error.guard([]() -> Result<void> { throw std::bad_alloc(); });
  EXPECT_EQ(error.result(), Code::kUnavailable);
}

}  // namespace
}  // namespace frond
