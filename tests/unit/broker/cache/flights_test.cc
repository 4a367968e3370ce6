#include "broker/cache/flights.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::broker::cache {
namespace {
using std::chrono::seconds;

CachedAnswer flight_answer(std::string text) { return {std::make_shared<const std::string>(std::move(text)), 100}; }

class AFlight : public testing::Test {
 protected:
  static Instant at(int second) { return Instant(seconds(second)); }
  Flights::Waiter waiter(const std::string& name) {
    return [this, name](const CachedAnswer& answer) {
      heard += name + ":" + *std::static_pointer_cast<const std::string>(answer.value) + " ";
    };
  }
  // A flight of its own: none ends at the latest at the begin of time.
  Flights::Seat begin_with(const std::string& key, int end, Flights::Waiter waiter) {
    return flights.enter(key, Instant::max(), Instant::min(), {at(end), at(end)}, std::move(waiter)).seat;
  }
  Flights::Seat begin(const std::string& key, int end, const std::string& name) {
    const auto seat = begin_with(key, end, waiter(name));
    flights.set_stop(key, seat.flight, [this, name] { stopped += name + " "; });
    return seat;
  }
  std::optional<Flights::Seat> join(const std::string& key, int latest, const std::string& name, int earliest = 0) {
    return flights.join(key, at(earliest), at(latest), waiter(name));
  }

  Flights flights;
  std::string heard, stopped;
};

TEST_F(AFlight, AnswersEverybodyInIt) {
  EXPECT_FALSE(join("q", 9, "nobody"));
  const auto first = begin("q", 5, "a");
  ASSERT_TRUE(join("q", 5, "b"));
  ASSERT_TRUE(join("q", 9, "c"));
  EXPECT_FALSE(join("other", 9, "d"));
  EXPECT_EQ(flights.in_flight(), 1u);
  EXPECT_EQ(flights.joined(), 2u);
  flights.complete("q", first.flight, flight_answer("x"), true);
  EXPECT_EQ(heard, "a:x b:x c:x ");
  EXPECT_EQ(stopped, "");
  EXPECT_EQ(flights.in_flight(), 0u);
  flights.complete("q", first.flight, flight_answer("y"), true);
  EXPECT_EQ(heard, "a:x b:x c:x ");
}
TEST_F(AFlight, IsNotBoardedByWhoHasLessTime) {
  begin("q", 5, "slow");
  EXPECT_FALSE(join("q", 4, "hasty"));
  const auto hasty = begin("q", 2, "hasty");
  ASSERT_TRUE(join("q", 4, "next")) << "the one that ends in time";
  flights.complete("q", hasty.flight, flight_answer("part"), false);
  EXPECT_EQ(heard, "hasty:part next:part ");
  EXPECT_EQ(flights.in_flight(), 1u);
}
TEST_F(AFlight, IsTheOneThatLeavesMostTime) {
  begin("q", 2, "short");
  const auto middle = begin("q", 4, "middle");
  begin("q", 8, "long");
  ASSERT_EQ(join("q", 5, "x")->flight, middle.flight);
  EXPECT_FALSE(join("q", 5, "y", 5)) << "none ends that late, and in time";
}
TEST_F(AFlight, EndsTheOthersOfItsKeyWithAWholeAnswer) {
  begin("q", 5, "slow");
  const auto quick = begin("q", 2, "quick");
  begin("other", 5, "another");
  flights.complete("q", quick.flight, flight_answer("x"), true);
  EXPECT_EQ(heard, "slow:x quick:x ");
  EXPECT_EQ(stopped, "slow ");
  EXPECT_EQ(flights.in_flight(), 1u);
}
TEST_F(AFlight, EndsWhenNobodyIsLeft) {
  const auto first = begin("q", 5, "a");
  const auto second = join("q", 5, "b");
  flights.leave("q", first);  // the one that began leaves; the evaluation goes on for the other
  EXPECT_EQ(stopped, "");
  flights.leave("q", *second);
  EXPECT_EQ(stopped, "a ");
  EXPECT_EQ(flights.in_flight(), 0u);
  flights.leave("q", *second);
  flights.complete("q", first.flight, flight_answer("x"), true);
  EXPECT_EQ(heard, "");
  EXPECT_EQ(stopped, "a ");
}
TEST_F(AFlight, LetsAWaiterComeBack) {
  std::optional<Flights::Seat> again;
  const auto seat = begin_with("q", 5, [&](const CachedAnswer&) { again = begin_with("q", 9, waiter("again")); });
  flights.complete("q", seat.flight, flight_answer("part"), false);
  ASSERT_TRUE(again);
  flights.complete("q", again->flight, flight_answer("x"), true);
  EXPECT_EQ(heard, "again:x ");
}
}  // namespace
}  // namespace frond::broker::cache
