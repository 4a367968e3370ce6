// Which generations stay for whom; and who is there to ask.
#include "leaf/generation/retained_generations.h"

#include <gtest/gtest.h>

#include "tests/support/collections/manual_clock.h"

namespace frond::leaf::generation {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr KeepRules kRules{seconds(30), seconds(3600), 4};

class RetainedGenerations : public testing::Test {
 protected:
  // Generations by number; all but the last were superseded, and asked for, `ago`.
  std::vector<Standing> set_of(const std::vector<Generation>& numbers, seconds ago = seconds(60)) const {
    std::vector<Standing> set;
    set.reserve(numbers.size());
    for (const Generation number : numbers) set.push_back({{number, number + 100}, now_ - ago, now_ - ago});
    set.back().last_used = Instant::min();
    set.back().superseded = Instant::max();
    return set;
  }
  void broker(Generation serving, ContentId content = 0) {
    present_.brokers.push_back({present_.brokers.size() + 1, "b", {serving, content}, milliseconds(500)});
  }
  std::vector<Generation> kept(const std::vector<Standing>& set) const {
    const auto stay = retained_generations(set, present_, now_, kRules);
    std::vector<Generation> numbers;
    for (std::size_t i = 0; i < set.size(); ++i)
      if (stay[i]) numbers.push_back(set[i].id.number);
    return numbers;
  }
  std::optional<std::size_t> given_up(const std::vector<Standing>& set) const {
    return first_to_give_up(set, present_, now_, kRules);
  }
  using Numbers = std::vector<Generation>;

  const Instant now_ = support::ManualClock().now() + std::chrono::hours(24);
  BrokerRoll::Present present_;
};

TEST_F(RetainedGenerations, AllStayWithNobodyToAsk) {
  EXPECT_EQ(kept(set_of({4, 5})), (Numbers{4, 5}));
  EXPECT_EQ(kept({}), Numbers{});
}
TEST_F(RetainedGenerations, GoWhenAllBrokersHaveLeftThem) {
  broker(5);
  EXPECT_EQ(kept(set_of({4, 5})), Numbers{5});
  broker(4, 104);
  EXPECT_EQ(kept(set_of({4, 5})), (Numbers{4, 5}));
}
TEST_F(RetainedGenerations, StayForSearchesUnderWay) {
  broker(5);
  EXPECT_EQ(kept(set_of({4, 5}, seconds(29))), (Numbers{4, 5}));
  EXPECT_EQ(kept(set_of({4, 5}, seconds(30))), Numbers{5});
}
TEST_F(RetainedGenerations, StayWhereABrokerOfOlderOnesMayTurnToThemNext) {
  broker(4);
  EXPECT_EQ(kept(set_of({3, 4, 5, 6})), (Numbers{4, 5, 6}));
}
TEST_F(RetainedGenerations, StayWhileABrokerHasNotChosenYet) {
  broker(5);
  broker(0);
  EXPECT_EQ(kept(set_of({4, 5})), (Numbers{4, 5}));
}
TEST_F(RetainedGenerations, GoWhereBrokersServeFromWhatIsNotHere) {
  broker(9);
  EXPECT_EQ(kept(set_of({4, 5})), Numbers{5});
  present_.brokers.clear();
  broker(4, 77);  // other content
  EXPECT_EQ(kept(set_of({4, 5})), Numbers{5});
}
TEST_F(RetainedGenerations, GoByTheirLastRequestWhereBrokersDoNotSay) {
  present_.unnamed = true;
  EXPECT_EQ(kept(set_of({4, 5})), Numbers{5});
  EXPECT_EQ(kept(set_of({4, 5}, seconds(29))), (Numbers{4, 5}));
}
TEST_F(RetainedGenerations, GoAfterTheLimitWhoeverServesFromThem) {
  broker(4);
  EXPECT_EQ(kept(set_of({4, 5}, seconds(3600))), (Numbers{4, 5}));
  EXPECT_EQ(kept(set_of({4, 5}, seconds(3601))), Numbers{5});
  EXPECT_EQ(kept(set_of({5}, seconds(3601))), Numbers{5});
}
TEST_F(RetainedGenerations, AreFourAtMostAndThoseGoFirstThatNobodyServesFrom) {
  broker(2);
  EXPECT_EQ(kept(set_of({2, 3, 4, 5, 6, 7})), (Numbers{2, 5, 6, 7}));
  for (const Generation number : {3, 4, 5}) broker(number);
  EXPECT_EQ(kept(set_of({2, 3, 4, 5, 6})), (Numbers{3, 4, 5, 6}));
}
TEST_F(RetainedGenerations, StayWhileCursorsAskForThemHoweverManyComeAfter) {
  broker(7);
  auto set = set_of({2, 3, 4, 5, 6, 7}, seconds(10));
  EXPECT_EQ(kept(set), (Numbers{4, 5, 6, 7}));
  set[0].last_used = now_ - seconds(1);
  EXPECT_EQ(kept(set), (Numbers{2, 5, 6, 7}));
}
TEST_F(RetainedGenerations, GiveTheirDiskAwayOnlyIfNobodyNeedsThem) {
  EXPECT_EQ(given_up(set_of({5})), std::nullopt);
  EXPECT_EQ(given_up(set_of({4, 5})), 0u) << "nobody to ask: the old one";
  broker(4);
  EXPECT_EQ(given_up(set_of({4, 5})), 1u) << "no broker has turned to it, and the next comes";
  EXPECT_EQ(given_up(set_of({4, 5, 6})), 1u);
  broker(5);
  EXPECT_EQ(given_up(set_of({4, 5})), std::nullopt);
  EXPECT_EQ(given_up(set_of({3, 4, 5}, seconds(10))), std::nullopt) << "searches are under way";
  EXPECT_EQ(given_up(set_of({3, 4, 5})), 0u);
}

TEST(BrokerRoll, CountsABrokerWhileItIsHeard) {
  support::ManualClock clock;
  BrokerRoll roll;
  roll.heard({1, "a", {4, 0}, milliseconds(500)}, {}, clock.now());
  roll.heard({2, "b", {5, 0}, seconds(30)}, {}, clock.now());
  roll.heard({}, {}, clock.now());
  EXPECT_EQ(roll.present(clock.now()).brokers.size(), 2u);
  EXPECT_TRUE(roll.present(clock.now()).unnamed);
  clock.advance(seconds(11));
  ASSERT_EQ(roll.present(clock.now()).brokers.size(), 1u) << "b says hello less often";
  EXPECT_EQ(roll.present(clock.now()).brokers[0].name, "b");
  EXPECT_FALSE(roll.present(clock.now()).unnamed);
  roll.heard({1, "a", {5, 0}, milliseconds(500)}, {}, clock.now());
  EXPECT_EQ(roll.present(clock.now()).brokers.size(), 2u);
  clock.advance(seconds(600));
  EXPECT_TRUE(roll.present(clock.now()).brokers.empty()) << "whatever interval it tells";
}
TEST(BrokerRoll, NamesWhoKeepsAGeneration) {
  support::ManualClock clock;
  BrokerRoll roll;
  for (std::uint64_t i = 1; i <= 5; ++i)
    roll.heard({i, "b" + std::to_string(i), {4, i % 2}, seconds(1)}, {}, clock.now());
  const auto present = roll.present(clock.now());
  EXPECT_EQ(present.names_of({4, 1}), "b1, b2, b3 and 2 more") << "who does not know the content may mean it";
  EXPECT_EQ(present.names_of({4, 9}), "b2, b4");
  EXPECT_EQ(present.names_of({5, 1}), "");
}
TEST(BrokerRoll, IsBounded) {
  support::ManualClock clock;
  BrokerRoll roll;
  for (std::uint64_t i = 1; i <= BrokerRoll::kMaxBrokers + 10; ++i) {
    roll.heard({i, "b", {}, seconds(60)}, {}, clock.now());
    clock.advance(std::chrono::microseconds(1));
  }
  const auto present = roll.present(clock.now());
  EXPECT_EQ(present.brokers.size(), BrokerRoll::kMaxBrokers);
  EXPECT_EQ(present.brokers[0].instance, 11u) << "who was not heard for longest is forgotten";
}

}  // namespace
}  // namespace frond::leaf::generation
