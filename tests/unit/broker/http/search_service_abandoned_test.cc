// Searches whose client leaves.
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using support::Answered;

class AnAbandonedSearch : public ASearchService {
 protected:
  std::string metric(const std::string& line) {
    return broker.registry.exposition().find(line + "\n") != std::string::npos ? "there" : "not there";
  }
};
TEST_F(AnAbandonedSearch, EndsInTheLeafToo) {
  for (const bool cache : {true, false}) {
    Answered answered;
    auto parameters = asking("cell");
    parameters.cache = cache;
    const std::size_t before = broker.leaf().cancelled;
    const auto ticket = service.search(parameters, answered.reply());
    ASSERT_TRUE(ticket);
    service.abandon(ticket);
    EXPECT_EQ(answered.status(), 499);
    EXPECT_EQ(answered.body()["status"], 499);
    EXPECT_EQ(broker.leaf().cancelled, before + 1);
    EXPECT_EQ(service.in_flight(), 0u);
    EXPECT_EQ(service.flights().in_flight(), 0u);
    service.abandon(ticket);
    EXPECT_EQ(answered.more, 0);
  }
  EXPECT_EQ(metric("frond_broker_searches_total{outcome=\"abandoned\"} 2"), "there");
}
TEST_F(AnAbandonedSearch, GoesOnForSearchesThatShareIt) {
  Answered leader, follower, another;
  const auto first = service.search(asking("cell"), leader.reply());
  const auto second = service.search(asking("cell"), follower.reply());
  service.search(asking("cell"), another.reply());
  service.abandon(first);
  EXPECT_EQ(leader.status(), 499);
  service.abandon(second);
  EXPECT_EQ(follower.status(), 499);
  EXPECT_EQ(broker.leaf().cancelled, 0u);
  broker.play();
  EXPECT_EQ(another.status(), 200);
  EXPECT_EQ(leader.more + follower.more, 0);
  EXPECT_EQ(service.in_flight(), 0u);
}
TEST_F(AnAbandonedSearch, EndsWithTheLastSearchThatSharesIt) {
  Answered leader, follower;
  const auto first = service.search(asking("cell"), leader.reply());
  const auto second = service.search(asking("cell"), follower.reply());
  service.abandon(first);
  EXPECT_EQ(service.in_flight(), 1u);
  service.abandon(second);
  EXPECT_EQ(broker.leaf().cancelled, 1u);
  EXPECT_EQ(service.in_flight(), 0u);
}
TEST_F(AnAbandonedSearch, ChangesNothingOnceItIsAnswered) {
  Answered known, again;
  const auto ticket = service.search(asking("cell"), known.reply());
  broker.play();
  EXPECT_FALSE(ticket);
  service.abandon(ticket);
  EXPECT_EQ(known.status(), 200);
  EXPECT_FALSE(service.search(asking("cell"), again.reply())) << "a cached answer comes at once";
  EXPECT_EQ(again.status(), 200);
}
TEST_F(AnAbandonedSearch, MakesRoomForOthers) {
  Answered one, two, refused, taken;
  const auto ticket = service.search(asking("one"), one.reply());
  service.search(asking("two"), two.reply());
  service.search(asking("three"), refused.reply());
  EXPECT_EQ(refused.status(), 429);
  service.abandon(ticket);
  service.search(asking("three"), taken.reply());
  broker.play();
  EXPECT_EQ(taken.status(), 200);
}
}  // namespace
}  // namespace frond::broker::http
