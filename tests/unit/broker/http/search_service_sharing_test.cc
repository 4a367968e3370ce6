// Equal searches in flight share evaluations.
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using std::chrono::milliseconds;
using support::Answered;
using support::found;
using support::ScriptedBroker;

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
// Sharing one with more time it would get 504, where it gets a part of the answer on its own.
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
TEST_F(ASearchService, AnswersAllEqualSearchesWithTheFirstWholeAnswer) {
  Answered patient, hasty;
  service.search(asking("cell", 4000), patient.reply());
  service.search(asking("cell", 1000), hasty.reply());
  auto& second = broker.leaf().searches.asked[1];
  std::exchange(*second.done, nullptr)(found({{0, 9}}));
  broker.play_fetches();
  EXPECT_EQ(hasty.status(), 200);
  EXPECT_EQ(patient.status(), 200);
  EXPECT_EQ(broker.leaf().cancelled, 1u) << "the other evaluation is not wanted any more";
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
// What no leaf has answered ends before its deadline, by what is reserved for titles.
TEST_F(ASearchService, SharesNoEvaluationThatGivesUpLongBeforeItWould) {
  Answered first, second;
  service.search(asking("cell", 1000), first.reply());
  broker.cluster.advance(milliseconds(880));
  service.search(asking("cell", 90), second.reply());
  EXPECT_EQ(asked(), 2u);
  broker.cluster.advance(milliseconds(20));
  EXPECT_EQ(first.status(), 504);
  EXPECT_EQ(second.status(), 0);
  broker.play();
  EXPECT_EQ(second.status(), 200);
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
// However slow it is, and however many equal searches there are.
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
}  // namespace
}  // namespace frond::broker::http
