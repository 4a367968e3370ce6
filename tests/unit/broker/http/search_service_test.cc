#include "broker/http/search_service.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_broker.h"

namespace frond::broker {
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
  ScriptedBroker broker{{.max_in_flight = 2}};
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
TEST_F(ASearchService, LetsAWaiterWithLessTimeGoWithoutHarmingOthers) {
  Answered patient, hasty;
  service.search(asking("cell", 1000), patient.reply());
  service.search(asking("cell", 100), hasty.reply());
  broker.cluster.advance(milliseconds(100));
  EXPECT_EQ(hasty.status(), 504);
  EXPECT_EQ(patient.status(), 0);
  broker.play();
  EXPECT_EQ(patient.status(), 200);
  EXPECT_EQ(hasty.more, 0);
}
TEST_F(ASearchService, LetsAWaiterWithTimeLeftAskAgainWhenTheFirstRanOutOfIt) {
  Answered hasty, patient, patient_too;
  service.search(asking("cell", 100), hasty.reply());
  service.search(asking("cell", 1000), patient.reply());
  service.search(asking("cell", 1000), patient_too.reply());
  broker.cluster.advance(milliseconds(100));
  EXPECT_EQ(hasty.status(), 504);
  EXPECT_EQ(asked(), 2u) << "one of the patient leads, the other waits for it";
  broker.play();
  EXPECT_EQ(patient.status(), 200);
  EXPECT_EQ(patient_too.status(), 200);
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
  broker.leaf().searches.answer(found({{0, 9}}, {{1, wire::Unsearched::kCorrupt}}));
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
       {std::pair{wire::Unsearched::kCorrupt, 503}, {wire::Unsearched::kDeadline, 504}}) {
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

// ---- many at once

std::vector<nlohmann::json> lines_of(const Answered& answered) {
  std::vector<nlohmann::json> out;
  std::istringstream in(answered.response->body);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}
TEST_F(ASearchService, AnswersManySearchesInTheirOrder) {
  MultiSearch many(service, broker.cluster.timers, {.at_work = 3});
  Answered answered;
  many.run("{\"q\":\"a1\"}\n{\"q\":\"b2\",\"k\":0}\nnonsense\n{\"q\":\"c3\"}\r\n{\"q\":\"the\"}\n{\"q\":\"d4\"}",
           answered.reply());
  EXPECT_EQ(asked(), 3u) << "three at work";
  while (answered.status() == 0) broker.play();
  const auto lines = lines_of(answered);
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i : {0, 3, 5}) EXPECT_EQ(lines[i]["hits"].size(), 2u);
  EXPECT_EQ(lines[1]["parameter"], "k");
  EXPECT_EQ(lines[2]["status"], 400);
  EXPECT_EQ(lines[4]["total"]["value"], 0);
  EXPECT_EQ(answered.response->content_type, "application/x-ndjson");
}
TEST_F(ASearchService, LetsOthersHaveTheirTurnBetweenManySearches) {
  MultiSearch many(service, broker.cluster.timers, {.lines_a_turn = 2});
  Answered answered;
  many.run("{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n", answered.reply());
  EXPECT_EQ(answered.status(), 0);
  broker.cluster.timers.run_due();
  ASSERT_EQ(answered.status(), 200);
  EXPECT_EQ(lines_of(answered).size(), 5u);
}
// Parsing costs time, however wrong a line is.
TEST_F(ASearchService, LetsOthersHaveTheirTurnBetweenLongLines) {
  MultiSearch many(service, broker.cluster.timers, {.max_line = 100, .bytes_a_turn = 150});
  Answered answered;
  const std::string nested(100, '['), too_long(101, '[');
  many.run(nested + "\n" + nested + "\n" + too_long + "\n", answered.reply());
  EXPECT_EQ(answered.status(), 0) << "the third line is another turn's";
  broker.cluster.timers.run_due();
  ASSERT_EQ(answered.status(), 200);
  const auto lines = lines_of(answered);
  EXPECT_EQ(lines[1]["status"], 400);
  EXPECT_EQ(lines[2]["status"], 413);
}
TEST_F(ASearchService, BoundsWhatManySearchesMayHold) {
  MultiSearch many(service, broker.cluster.timers,
                   {.max_lines = 3, .max_requests = 1, .at_work = 2, .max_answer_bytes = 10});
  Answered empty, long_one, first, second;
  many.run("", empty.reply());
  EXPECT_EQ(empty.status(), 400);
  many.run("{}\n{}\n{}\n{}\n", long_one.reply());
  EXPECT_EQ(long_one.status(), 400);
  many.run("{\"q\":\"x1\"}\n{\"q\":\"x2\"}\n{\"q\":\"x3\"}\n", first.reply());
  many.run("{\"q\":\"x1\"}\n", second.reply());
  EXPECT_EQ(second.status(), 429);
  while (first.status() == 0) broker.play();
  EXPECT_EQ(lines_of(first)[2]["status"], 413);
}
}  // namespace
}  // namespace frond::broker
