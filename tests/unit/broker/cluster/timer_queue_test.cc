#include "broker/cluster/timer_queue.h"

#include <gtest/gtest.h>

#include "tests/support/collections/manual_clock.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

TEST(TimerQueue, RunsWhatIsDueInOrderOfTime) {
  support::ManualClock clock;
  TimerQueue timers(clock);
  std::string ran;
  timers.after(milliseconds(3), [&] { ran += "c"; });
  timers.after(milliseconds(1), [&] { ran += "a"; });
  timers.after(milliseconds(1), [&] { ran += "b"; });
  timers.run_due();
  EXPECT_EQ(ran, "");
  clock.advance(milliseconds(2));
  timers.run_due();
  EXPECT_EQ(ran, "ab");
  EXPECT_EQ(timers.next(), clock.now() + milliseconds(1));
}
TEST(TimerQueue, ForgetsWhatIsCancelledEvenByAnotherTimer) {
  support::ManualClock clock;
  TimerQueue timers(clock);
  bool ran = false;
  TimerQueue::Id second;
  timers.after(milliseconds(1), [&] { timers.cancel(second); });
  second = timers.after(milliseconds(2), [&] { ran = true; });
  clock.advance(milliseconds(5));
  timers.run_due();
  EXPECT_FALSE(ran);
  EXPECT_EQ(timers.next(), Instant::max());
}
TEST(TimerQueue, TellsWhenItsNextComesCloser) {
  support::ManualClock clock;
  TimerQueue timers(clock);
  int told = 0;
  timers.on_sooner([&] { ++told; });
  timers.after(milliseconds(5), [] {});
  timers.after(milliseconds(9), [] {});
  EXPECT_EQ(told, 1);
  timers.after(milliseconds(1), [] {});
  EXPECT_EQ(told, 2);
}
}  // namespace
}  // namespace frond::broker::cluster
