// Bounded queues; what they have in common with other mechanisms: tests/contract/ordered_work.
#include "common/base/threads/bounded_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <thread>

namespace frond {
namespace {

TEST(BoundedQueue, TakesNoMoreWhenItIsClosedAndGivesWhatItHas) {
  BoundedQueue<int> queue(3);
  ASSERT_TRUE(queue.push(1, {}, 100)) << "heavier than all that it may hold, and alone";
  queue.close();
  EXPECT_FALSE(queue.push(2, {}));
  EXPECT_EQ(queue.pop({}), 1);
  EXPECT_EQ(queue.pop({}), std::nullopt);
}

TEST(BoundedQueue, LetsGoOfThoseWhoWaitWhenAStopIsRequested) {
  BoundedQueue<int> empty(1), full(1);
  std::stop_source stop;
  ASSERT_TRUE(full.push(1, stop.get_token()));
  std::jthread a([&] { EXPECT_EQ(empty.pop(stop.get_token()), std::nullopt); });
  std::jthread b([&] { EXPECT_FALSE(full.push(2, stop.get_token())); });
  stop.request_stop();
}

}  // namespace
}  // namespace frond
