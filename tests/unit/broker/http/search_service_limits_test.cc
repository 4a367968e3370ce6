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
}  // namespace
}  // namespace frond::broker::http
