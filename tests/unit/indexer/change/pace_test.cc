#include "indexer/change/waiting.h"

#include <gtest/gtest.h>

namespace frond::indexer::change {
namespace {

using namespace std::chrono_literals;

TEST(APace, HoldsWorkToItsBytesASecond) {
  const Pace::Clock::time_point begin{};
  Pace pace(1'000'000, begin);
  auto now = begin;
  for (int i = 0; i < 1000; ++i) now += pace.owed(10'000, now);
  EXPECT_GE(now - begin, 9900ms);
  EXPECT_LE(now - begin, 10100ms);
}

TEST(APace, DoesNotMakeUpForTimeInWhichNothingWasDone) {
  const Pace::Clock::time_point begin{};
  Pace pace(1'000'000, begin);
  EXPECT_GE(pace.owed(1'000'000, begin + 60s), 900ms);
}

TEST(APace, NeverWaitsWithoutALimit) {
  Pace pace(0);
  EXPECT_EQ(pace.owed(std::uint64_t{1} << 60, Pace::Clock::now()), Pace::Clock::duration{});
}

TEST(APace, EndsAWaitWhenItIsStopped) {
  Pace pace(1);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(pace.spend(1'000'000, source.get_token()), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::indexer::change
