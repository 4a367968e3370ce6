// One account: its rate and what is at work.
#include "common/keys/meter.h"

#include <gtest/gtest.h>

namespace frond::keys {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

const Instant kStart = Instant(seconds(1000));

// How many requests are let in at `when`.
int taken(Account& account, const Limits& limits, Instant when) {
  int count = 0;
  while (count < 10'000 && account.enter(limits, when)) {
    account.leave();
    ++count;
  }
  return count;
}

TEST(AnAccount, LetsASecondsWorthInAtOnceAndThenTheRate) {
  Account account;
  const Limits limits{.rate = 20};
  EXPECT_EQ(taken(account, limits, kStart), 20);
  EXPECT_EQ(taken(account, limits, kStart + milliseconds(49)), 0);
  EXPECT_EQ(taken(account, limits, kStart + milliseconds(50)), 1);
  EXPECT_EQ(taken(account, limits, kStart + milliseconds(550)), 10);
  EXPECT_EQ(taken(account, limits, kStart + seconds(100)), 20) << "idle time is not saved";
}
TEST(AnAccount, LetsOneInHoweverLowTheRate) {
  Account account;
  const Limits limits{.rate = 0.1};
  EXPECT_EQ(taken(account, limits, kStart), 1);
  const auto refused = account.enter(limits, kStart + milliseconds(2500));
  EXPECT_EQ(refused.kind, Verdict::Kind::kTooFast);
  EXPECT_EQ(refused.retry_seconds, 8);
  EXPECT_EQ(taken(account, limits, kStart + seconds(10)), 1);
}
TEST(AnAccount, IsNotChargedForWhatItRefuses) {
  Account account;
  const Limits limits{.rate = 10};
  EXPECT_EQ(taken(account, limits, kStart), 10);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(account.enter(limits, kStart));
  EXPECT_EQ(taken(account, limits, kStart + seconds(1)), 10);
}
TEST(AnAccount, OwesWhatIsChargedLater) {
  Account account;
  const Limits limits{.rate = 10};
  ASSERT_TRUE(account.enter(limits, kStart));
  account.charge(limits, kStart, 99);
  const auto refused = account.enter(limits, kStart);
  EXPECT_EQ(refused.kind, Verdict::Kind::kTooFast);
  EXPECT_EQ(refused.retry_seconds, 10);  // 100 requests, 10 of them at once, and this one: 9.1 s
  EXPECT_FALSE(account.enter(limits, kStart + milliseconds(9099)));
  EXPECT_TRUE(account.enter(limits, kStart + milliseconds(9100)));
}
TEST(AnAccount, OwesAnHourAtMost) {
  Account account;
  const Limits limits{.rate = 0.001};
  account.charge(limits, kStart, ~std::size_t{0});
  EXPECT_FALSE(account.enter(limits, kStart + seconds(3599)));
  EXPECT_TRUE(account.enter(limits, kStart + seconds(3600)));
}
TEST(AnAccount, LimitsWhatIsAtWork) {
  Account account;
  const Limits limits{.in_flight = 2};
  EXPECT_TRUE(account.enter(limits, kStart));
  EXPECT_TRUE(account.enter(limits, kStart));
  EXPECT_EQ(account.enter(limits, kStart).kind, Verdict::Kind::kTooMany);
  account.leave();
  EXPECT_TRUE(account.enter(limits, kStart));
}
TEST(AnAccount, WithoutLimitsTakesAll) {
  Account account;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(account.enter({}, kStart));
}

}  // namespace
}  // namespace frond::keys
