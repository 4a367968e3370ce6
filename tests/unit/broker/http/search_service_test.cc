#include "broker/http/search_service.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_broker.h"

namespace frond::broker::http {
namespace {
using std::chrono::milliseconds;
using support::Answered;
using support::found;
using support::ScriptedBroker;

SearchParameters asking(std::string q, std::uint32_t timeout_ms = 0) {
  SearchParameters out;
  out.q = std::move(q);
  out.timeout_ms = timeout_ms;
  return out;
}

class ASearchService : public testing::Test {
 protected:
  ASearchService() { broker.up(); }
  ScriptedBroker broker{{.in_flight = {.all = 2, .batch = 2, .costly = 1}}};
  SearchService& service = broker.service;
  std::size_t asked() { return broker.leaf().searches.asked.size(); }
};

TEST_F(ASearchService, AnswersFromTheCacheTheSecondTime) {
  Answered first, second, other;
  service.search(asking("immune response"), first.reply());
  EXPECT_EQ(first.status(), 0);
  broker.play();
  EXPECT_EQ(first.body()["cache"], "miss");
  service.search(asking("Response, IMMUNE"), second.reply());
  EXPECT_EQ(second.body()["cache"], "hit");
  EXPECT_EQ(second.body()["hits"], first.body()["hits"]);
  EXPECT_EQ(asked(), 1u);
  service.search(asking("immune immune response"), other.reply());
  EXPECT_EQ(asked(), 2u) << "a repeated term is another query";
  broker.play();
}
TEST_F(ASearchService, KeepsApartWhatDiffersInAnyParameter) {
  std::vector<SearchParameters> all(6, asking("cell"));
  all[1].k = 5;
  all[2].offset = 1;
  all[3].mode = wire::Mode::kOr;
  all[4].processor = wire::Processor::kExhaustive;
  all[5].explain = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Answered answered;
    service.search(all[i], answered.reply());
    EXPECT_EQ(asked(), i + 1);
    broker.play();
    EXPECT_EQ(answered.status(), 200);
  }
}
TEST_F(ASearchService, BypassesTheCacheWhenToldAndWhenProfiling) {
  auto off = asking("cell");
  off.cache = false;
  auto profile = asking("cell");
  profile.profile = true;
  for (const auto& parameters : {off, off, profile, profile}) {
    Answered answered;
    service.search(parameters, answered.reply());
    broker.play();
    EXPECT_EQ(answered.body()["cache"], "bypass");
    EXPECT_EQ(answered.body().contains("profile"), parameters.profile);
  }
  EXPECT_EQ(asked(), 4u);
  EXPECT_EQ(service.cache().counters().entries, 0u);
}
TEST_F(ASearchService, EvaluatesEqualQueriesInFlightOnce) {
  std::vector<Answered> all(5);
  for (auto& one : all) service.search(asking("cell"), one.reply());
  EXPECT_EQ(asked(), 1u);
  broker.play();
  for (auto& one : all) {
    EXPECT_EQ(one.status(), 200);
    EXPECT_EQ(one.more, 0);
  }
  EXPECT_EQ(service.in_flight(), 0u);
}
// Behind one with more time it would get 504, where it gets a part on its own.
TEST_F(ASearchService, GivesEverySearchWhatItWouldGetAlone) {
  Answered patient, hasty, hasty_too;
  service.search(asking("cell", 4000), patient.reply());
  service.search(asking("cell", 1000), hasty.reply());
  service.search(asking("cell", 1000), hasty_too.reply());
  ASSERT_EQ(asked(), 2u) << "the two that are hasty share one";
  EXPECT_LE(broker.leaf().searches.last().budget, milliseconds(1000));
  auto& second = broker.leaf().searches.asked[1];
  std::exchange(*second.done, nullptr)(found({{0, 9}}, {{1, wire::UnsearchedReason::kDeadline}}));
  broker.play_fetches();
  for (const auto* one : {&hasty, &hasty_too}) {
    EXPECT_EQ(one->status(), 200);
    EXPECT_EQ(one->body()["coverage"]["partitions_answered"], 1);
  }
  EXPECT_EQ(patient.status(), 0);
  broker.play();
  EXPECT_EQ(patient.body()["coverage"]["partitions_answered"], 2);
}
TEST_F(ASearchService, AnswersEverybodyWithTheFirstWholeAnswer) {
  Answered patient, hasty;
  service.search(asking("cell", 4000), patient.reply());
  service.search(asking("cell", 1000), hasty.reply());
  auto& second = broker.leaf().searches.asked[1];
  std::exchange(*second.done, nullptr)(found({{0, 9}}));
  broker.play_fetches();
  EXPECT_EQ(hasty.status(), 200);
  EXPECT_EQ(patient.status(), 200);
  EXPECT_EQ(broker.leaf().cancelled, 1u) << "nobody waits for the other one";
  EXPECT_EQ(service.in_flight(), 0u);
}
TEST_F(ASearchService, SharesAnEvaluationThatEndsHardlyLater) {
  Answered first, second;
  service.search(asking("cell", 1000), first.reply());
  service.search(asking("cell", 970), second.reply());
  EXPECT_EQ(asked(), 1u);
  broker.cluster.advance(milliseconds(900));
  EXPECT_EQ(first.status(), 504) << "no partition has answered";
  EXPECT_EQ(second.status(), 504);
}
TEST_F(ASearchService, StopsAWaitAtItsOwnDeadline) {
  Answered first, second;
  service.search(asking("cell", 1000), first.reply());
  service.search(asking("cell", 960), second.reply());
  broker.leaf().searches.answer(found({{0, 9}}));  // whose title is late
  broker.cluster.advance(milliseconds(960));
  EXPECT_EQ(second.status(), 504);
  EXPECT_EQ(first.status(), 0);
  broker.play_fetches();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(second.more, 0);
}
TEST_F(ASearchService, DoesNotWaitForOneWithMuchLessTime) {
  Answered hasty, patient, patient_too;
  service.search(asking("cell", 100), hasty.reply());
  service.search(asking("cell", 1000), patient.reply());
  service.search(asking("cell", 1000), patient_too.reply());
  EXPECT_EQ(asked(), 2u) << "one of the patient leads, the other waits for it";
  broker.cluster.advance(milliseconds(100));
  EXPECT_EQ(hasty.status(), 504);
  EXPECT_EQ(asked(), 2u);
  broker.play();
  EXPECT_EQ(patient.status(), 200);
  EXPECT_EQ(patient_too.status(), 200);
}
// However slow it is, and however many ask.
TEST_F(ASearchService, EvaluatesAPopularQueryAFewTimesAtMost) {
  ScriptedBroker crowded({.in_flight = {.all = 100, .batch = 100, .costly = 100}});
  crowded.up();
  std::vector<Answered> all(1000);
  std::size_t most = 0;
  for (auto& one : all) {
    crowded.service.search(asking("cell", 1000), one.reply());
    crowded.cluster.advance(milliseconds(2));
    most = std::max(most, crowded.service.flights().in_flight());
    while (crowded.leaf().hellos.open() > 0)
      crowded.leaf().hellos.answer(support::hello({support::served(1, 2, {0, 1})}));
  }
  EXPECT_LE(most, 5u);
  EXPECT_LE(crowded.leaf().searches.asked.size(), 10u) << "in two seconds";
  crowded.cluster.advance(milliseconds(1000));
  for (auto& one : all) EXPECT_EQ(one.status(), 504);
}
TEST_F(ASearchService, DoesNotAskAgainAtItsOwnDeadline) {
  Answered answered;
  service.search(asking("cell", 1000), answered.reply());
  broker.cluster.advance(milliseconds(900));  // the search's part of the time
  EXPECT_EQ(answered.status(), 504);
  EXPECT_EQ(asked(), 1u);
}
TEST_F(ASearchService, NeverStoresADegradedAnswer) {
  Answered first, second;
  service.search(asking("cell"), first.reply());
  broker.leaf().searches.answer(found({{0, 9}}, {{1, wire::UnsearchedReason::kCorrupt}}));
  broker.play_fetches();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(first.body()["coverage"]["partitions_answered"], 1);
  EXPECT_EQ(service.cache().counters().entries, 0u);
  service.search(asking("cell"), second.reply());
  EXPECT_EQ(asked(), 2u);
  broker.play();
  EXPECT_EQ(second.body()["coverage"]["degraded"], nlohmann::json::array());
}
TEST_F(ASearchService, RefusesAPartialAnswerWhereNoneIsWanted) {
  for (const auto& [reason, status] :
       {std::pair{wire::UnsearchedReason::kCorrupt, 503}, {wire::UnsearchedReason::kDeadline, 504}}) {
    Answered whole, partial;
    auto parameters = asking("cell");
    service.search(parameters, partial.reply());
    parameters.allow_partial = false;
    service.search(parameters, whole.reply());
    broker.leaf().searches.answer(found({{0, 9}}, {{1, reason}}));
    broker.play_fetches();
    if (broker.leaf().searches.open() > 0) {  // the one that will not have it in part asked again
      broker.leaf().searches.answer(found({{0, 9}}, {{1, reason}}));
      broker.play_fetches();
    }
    EXPECT_EQ(partial.status(), 200);
    EXPECT_EQ(whole.status(), status);
  }
}
TEST_F(ASearchService, ShedsPastItsLimitButNotWhatTheCacheKnows) {
  Answered known, one, two, three, again;
  service.search(asking("known"), known.reply());
  broker.play();
  service.search(asking("one"), one.reply());
  service.search(asking("two"), two.reply());
  service.search(asking("three"), three.reply());
  EXPECT_EQ(three.status(), 429);
  ASSERT_FALSE(three.response->headers.empty());
  EXPECT_EQ(three.response->headers[0].first, "Retry-After");
  service.search(asking("known"), again.reply());
  EXPECT_EQ(again.status(), 200);
  broker.play();
  EXPECT_EQ(one.status(), 200);
  EXPECT_EQ(two.status(), 200);
}
TEST_F(ASearchService, ShedsWhereEveryLeafDoes) {
  Answered answered;
  service.search(asking("cell"), answered.reply());
  broker.leaf().searches.answer(Error(Code::kOverloaded, "full"));
  EXPECT_EQ(answered.status(), 429);
}
TEST_F(ASearchService, TakesAQueryWithoutTermsAsAnEmptyAnswer) {
  for (const char* q : {"the", "", "!!"}) {
    Answered answered;
    service.search(asking(q), answered.reply());
    EXPECT_EQ(answered.status(), 200) << q;
    EXPECT_EQ(answered.body()["total"], nlohmann::json::parse(R"({"value":0,"relation":"eq"})"));
  }
  EXPECT_EQ(asked(), 0u);
}
TEST_F(ASearchService, RefusesTooManyTermsAndTooMuchTime) {
  std::string many;
  for (int i = 0; i < 600; ++i) many += "x" + std::to_string(i) + " ";
  Answered terms, time;
  service.search(asking(many), terms.reply());
  EXPECT_EQ(terms.status(), 400);
  EXPECT_EQ(terms.body()["parameter"], "q");
  service.search(asking("cell", 60'001), time.reply());
  EXPECT_EQ(time.body()["parameter"], "timeout_ms");
}
TEST(ASearchServiceWithLimits, RefusesWhatIsPastThem) {
  ScriptedBroker broker({.max_depth = 100, .max_terms = 3, .allow_exhaustive = false});
  broker.up();
  const auto refused = [&](const SearchParameters& parameters) {
    Answered answered;
    broker.service.search(parameters, answered.reply());
    broker.play();
    return answered.status() == 400 ? answered.body()["parameter"].get<std::string>()
                                    : std::to_string(answered.status());
  };
  auto deep = asking("cell");
  deep.k = 100;
  EXPECT_EQ(refused(deep), "200");
  deep.offset = 1;
  EXPECT_EQ(refused(deep), "offset");
  EXPECT_EQ(refused(asking("one two three")), "200");
  EXPECT_EQ(refused(asking("one two three one")), "q") << "a repeated word counts";
  auto exhaustive = asking("cell");
  exhaustive.processor = wire::Processor::kExhaustive;
  EXPECT_EQ(refused(exhaustive), "processor");
}
TEST_F(ASearchService, SaysWhenNobodyIsThere) {
  broker.cluster.map.report_unavailable(broker.cluster.map.leaves()[0], "gone");
  Answered answered;
  service.search(asking("cell"), answered.reply());
  EXPECT_EQ(answered.status(), 503);
}
TEST(ASearchServiceAtItsStart, SaysThatNobodyServes) {
  ScriptedBroker broker;
  Answered answered;
  broker.service.search(asking("cell"), answered.reply());
  EXPECT_EQ(answered.status(), 503);
}

// ---- clients that leave

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
TEST_F(AnAbandonedSearch, GoesOnForThoseWhoShareIt) {
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
TEST_F(AnAbandonedSearch, EndsWithTheLastOfThoseWhoShareIt) {
  Answered leader, follower;
  const auto first = service.search(asking("cell"), leader.reply());
  const auto second = service.search(asking("cell"), follower.reply());
  service.abandon(first);
  EXPECT_EQ(service.in_flight(), 1u);
  service.abandon(second);
  EXPECT_EQ(broker.leaf().cancelled, 1u);
  EXPECT_EQ(service.in_flight(), 0u);
}
TEST_F(AnAbandonedSearch, IsNoneOnceItIsAnswered) {
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

// ---- what costs much

TEST_F(ASearchService, EvaluatesFewCostlySearchesAtATime) {
  std::vector<SearchParameters> costly(4, asking("deep"));
  costly[0].k = 101;
  costly[1].offset = 991;
  costly[2].processor = wire::Processor::kExhaustive;
  costly[3].q.clear();
  for (int i = 0; i < 65; ++i) costly[3].q += "x" + std::to_string(i) + " ";
  for (const auto& parameters : costly) {
    Answered first, second, cheap;
    service.search(parameters, first.reply());
    auto other = parameters;
    other.q += " another";
    service.search(other, second.reply());
    EXPECT_EQ(second.status(), 429) << parameters.q;
    service.search(asking("cheap " + parameters.q.substr(0, 4)), cheap.reply());
    broker.play();
    EXPECT_EQ(cheap.status(), 200);
    EXPECT_EQ(first.status(), 200);
  }
}
}  // namespace
}  // namespace frond::broker::http
