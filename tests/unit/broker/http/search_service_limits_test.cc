// What a search may ask for, and how many are evaluated at a time.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using support::Answered;

TEST_F(ASearchService, RefusesSearchesPastItsLimitButNotCachedOnes) {
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
TEST_F(ASearchService, AnswersOverloadedWhenEveryLeafDoes) {
  Answered answered;
  service.search(asking("cell"), answered.reply());
  broker.leaf().searches.answer(Error(Code::kOverloaded, "full"));
  EXPECT_EQ(answered.status(), 429);
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
TEST_F(ASearchService, EvaluatesFewCostlySearchesAtATime) {
  std::vector<SearchParameters> costly(5, asking("deep"));
  costly[4].q = "explained";
  costly[4].explain = true;
  costly[4].k = 11;
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
    EXPECT_EQ(second.status(), 0) << parameters.q;
    EXPECT_EQ(service.admission().waiting(), 1u);
    service.search(asking("cheap " + parameters.q.substr(0, 4)), cheap.reply());
    broker.play();
    EXPECT_EQ(cheap.status(), 200);
    EXPECT_EQ(first.status(), 200);
    broker.play();
    EXPECT_EQ(second.status(), 200) << "in its turn";
  }
}
TEST_F(ASearchService, LetsACostlySearchWaitUntilItsDeadlineOrItsClientLeaves) {
  auto costly = asking("first");
  costly.k = 101;
  Answered first, late, left, next;
  service.search(costly, first.reply());
  costly.q = "second";
  costly.timeout_ms = 100;
  service.search(costly, late.reply());
  costly.q = "third";
  costly.timeout_ms = 0;
  const auto ticket = service.search(costly, left.reply());
  ASSERT_TRUE(ticket.waits());
  costly.q = "fourth";
  service.search(costly, next.reply());
  broker.cluster.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(late.status(), 504);
  service.abandon(ticket);
  EXPECT_EQ(left.status(), 499);
  EXPECT_EQ(service.admission().waiting(), 1u);
  EXPECT_EQ(asked(), 1u);
  broker.play();
  broker.play();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(next.status(), 200);
  EXPECT_EQ(asked(), 2u);
  EXPECT_EQ(service.admission().costly(), 0u);
}
TEST_F(ASearchService, RefusesCostlySearchesOfAClientOfWhichManyWait) {
  for (std::uint8_t client : {7, 8}) {
    std::vector<std::unique_ptr<Answered>> answers;
    for (int i = 0; i < 70; ++i) {
      auto costly = asking("client" + std::to_string(int{client}) + " " + std::to_string(i));
      costly.k = 101;
      answers.push_back(std::make_unique<Answered>());
      service.search(costly, answers.back()->reply(), {}, {client});
    }
    const auto refused = std::ranges::count_if(answers, [](const auto& one) { return one->status() == 429; });
    EXPECT_EQ(refused, 70 - 64 - 1) << "one is evaluated, 64 wait";
    for (int i = 0; i < 70; ++i) broker.play();
    const auto answered = std::ranges::count_if(answers, [](const auto& one) { return one->status() == 200; });
    EXPECT_EQ(answered, 65);
  }
}

// Beside a client that has all places.
class AnotherClientsSearch : public testing::Test {
 protected:
  static constexpr std::size_t kPlaces = 16;  // a quarter as many wait
  AnotherClientsSearch() {
    broker.up();
    fill();
  }
  void fill() {
    for (std::size_t taken = admission().all(); taken < kPlaces; ++taken) {
      large.push_back(std::make_unique<Answered>());
      tickets.push_back(ask("large" + std::to_string(large.size()), 1, *large.back(), 60'000));
    }
  }
  SearchService::Ticket ask(const std::string& q, std::uint8_t client, Answered& to, std::uint32_t timeout_ms = 0) {
    return broker.service.search(asking(q, timeout_ms), to.reply(), {}, {{client}});
  }
  void free_a_place() {
    broker.service.abandon(tickets.back());
    tickets.pop_back();
  }
  std::size_t asked() { return broker.leaf().searches.asked.size(); }
  const Admission& admission() { return broker.service.admission(); }

  support::ScriptedBroker broker{{.in_flight = {.all = kPlaces}}};
  std::vector<std::unique_ptr<Answered>> large;
  std::vector<SearchService::Ticket> tickets;
};
TEST_F(AnotherClientsSearch, WaitsForThePlaceThatIsFreeNext) {
  Answered refused, small;
  ask("one more", 1, refused);
  EXPECT_EQ(refused.status(), 429);
  EXPECT_TRUE(ask("small", 2, small).waits());
  EXPECT_EQ(asked(), kPlaces);
  free_a_place();
  EXPECT_EQ(asked(), kPlaces + 1);
  Answered again;
  ask("again", 1, again);
  EXPECT_EQ(again.status(), 429) << "the other one has it";
  broker.play();
  EXPECT_EQ(small.status(), 200);
  EXPECT_EQ(admission().all(), 0u);
}
TEST_F(AnotherClientsSearch, WaitsUntilItsDeadlineOrItsClientLeaves) {
  Answered late, left, next;
  ask("late", 2, late, 100);
  const auto ticket = ask("left", 3, left, 200);
  ask("next", 4, next);
  ASSERT_EQ(admission().waiting(), 3u);
  broker.cluster.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(late.status(), 504);
  broker.service.abandon(ticket);
  EXPECT_EQ(left.status(), 499);
  EXPECT_EQ(admission().waiting(), 1u);
  free_a_place();
  EXPECT_EQ(admission().waiting(), 0u);
  EXPECT_EQ(asked(), kPlaces + 1) << "only the one that waits still is evaluated";
  broker.play();
  EXPECT_EQ(next.status(), 200);
  EXPECT_EQ(admission().all(), 0u) << "no place is lost";
  EXPECT_EQ(late.more + left.more, 0);
}
TEST_F(AnotherClientsSearch, SharesTheEvaluationOfAnEqualOneThatWaited) {
  Answered first, second;
  ask("equal", 2, first);
  ask("equal", 3, second);
  ASSERT_EQ(admission().waiting(), 2u);
  free_a_place();
  free_a_place();
  EXPECT_EQ(asked(), kPlaces + 1);
  EXPECT_EQ(admission().all(), kPlaces - 1) << "the second needs no place";
  broker.play();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(second.status(), 200);
  EXPECT_EQ(admission().all(), 0u);
}
TEST_F(AnotherClientsSearch, DoesNotTellItsWaitAsIfLeavesHadTakenIt) {
  for (int i = 0; i < 3; ++i) {
    Answered waited;
    ASSERT_TRUE(ask("waited " + std::to_string(i), 2, waited, 1000).waits());
    broker.cluster.advance(std::chrono::milliseconds(900));
    while (!tickets.empty()) free_a_place();
    broker.cluster.advance(std::chrono::milliseconds(20));
    broker.play();
    ASSERT_EQ(waited.status(), 200);
    fill();
    EXPECT_EQ(admission().taken().places, kPlaces) << "it took 20 ms of its second";
  }
}
}  // namespace
}  // namespace frond::broker::http
