#include "broker/http/search/multi_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/scripted_broker.h"

namespace frond::broker::http {
namespace {
using std::chrono::milliseconds;
using support::Answered;
using support::ScriptedBroker;

class AMultiSearch : public testing::Test {
 protected:
  AMultiSearch() { broker.up(); }
  std::size_t asked() { return broker.leaf().searches.asked.size(); }
  ScriptedBroker broker{{.in_flight = {.all = 8, .batch = 4, .costly = 2}}};
};

// `count` searches, one a line, whose words begin with `name`.
std::string lines(const std::string& name, int count) {
  std::string body;
  for (int i = 0; i < count; ++i) body += "{\"q\":\"" + name + std::to_string(i) + "\"}\n";
  return body;
}
std::vector<nlohmann::json> lines_of(const Answered& answered) {
  std::vector<nlohmann::json> out;
  std::istringstream in(answered.response->body);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}
TEST_F(AMultiSearch, AnswersManySearchesInTheirOrder) {
  MultiSearch many(broker.service, broker.cluster.timers, {.at_work = 3});
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
TEST_F(AMultiSearch, LetsOthersHaveTheirTurnBetweenManySearches) {
  MultiSearch many(broker.service, broker.cluster.timers, {.lines_a_turn = 2});
  Answered answered;
  many.run("{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n{\"q\":\"the\"}\n", answered.reply());
  EXPECT_EQ(answered.status(), 0);
  broker.cluster.timers.run_due();
  ASSERT_EQ(answered.status(), 200);
  EXPECT_EQ(lines_of(answered).size(), 5u);
}
// Parsing costs time, however wrong a line is.
TEST_F(AMultiSearch, LetsOthersHaveTheirTurnBetweenLongLines) {
  MultiSearch many(broker.service, broker.cluster.timers, {.max_line = 100, .bytes_a_turn = 150});
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
TEST_F(AMultiSearch, BoundsWhatManySearchesMayHold) {
  MultiSearch many(broker.service, broker.cluster.timers,
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

// ---- how many at a time

TEST_F(AMultiSearch, LeavesRoomForSingleSearches) {
  MultiSearch many(broker.service, broker.cluster.timers, {});
  Answered answered, single;
  many.run(lines("a", 20), answered.reply());
  EXPECT_EQ(broker.service.admission().batch(), 4u);
  SearchParameters one;
  one.q = "single";
  broker.service.search(one, single.reply());
  EXPECT_EQ(asked(), 5u);
  while (answered.status() == 0) broker.play();
  EXPECT_EQ(single.status(), 200);
  for (const auto& line : lines_of(answered)) EXPECT_EQ(line["hits"].size(), 2u);
  EXPECT_EQ(broker.service.in_flight(), 0u);
}
TEST_F(AMultiSearch, TakesTurnsWithOthers) {
  MultiSearch many(broker.service, broker.cluster.timers, {});
  Answered first, second;
  many.run(lines("a", 40), first.reply());
  many.run(lines("b", 40), second.reply());
  EXPECT_EQ(asked(), 4u) << "all of the first";
  for (int i = 0; i < 16; ++i) {
    broker.leaf().searches.answer(support::found({}));
  }
  int of_first = 0, of_second = 0;
  for (std::size_t i = 4; i < asked(); ++i)
    ++(broker.leaf().searches.asked[i].request.terms[0].text[0] == 'a' ? of_first : of_second);
  EXPECT_EQ(of_first, 8);
  EXPECT_EQ(of_second, 8);
  for (int i = 16; i < 80; ++i) broker.leaf().searches.answer(support::found({}));  // lines at work keep their request
}
TEST_F(AMultiSearch, GivesALineItsTimeWhenItsTurnComes) {
  MultiSearch many(broker.service, broker.cluster.timers, {});
  Answered answered;
  many.run(lines("a", 5), answered.reply());
  broker.cluster.advance(milliseconds(900));
  ASSERT_EQ(asked(), 5u) << "when the four before it were late";
  EXPECT_GE(broker.leaf().searches.asked.back().deadline.left(broker.cluster.clock), milliseconds(900));
  broker.play();
  EXPECT_EQ(lines_of(answered)[0]["status"], 504);
  EXPECT_EQ(lines_of(answered)[4]["hits"].size(), 2u);
}
TEST_F(AMultiSearch, WaitsForAPlaceAmongCostlyOnes) {
  MultiSearch many(broker.service, broker.cluster.timers, {});
  Answered answered;
  many.run("{\"q\":\"wa\",\"k\":200}\n{\"q\":\"wb\",\"k\":200}\n{\"q\":\"wc\",\"k\":200}\n", answered.reply());
  EXPECT_EQ(asked(), 2u);
  broker.leaf().searches.answer(support::found({}));
  EXPECT_EQ(asked(), 3u);
  broker.play();
  EXPECT_EQ(answered.status(), 200);
}

// ---- its end

TEST_F(AMultiSearch, AnswersLateThatItHasNotBegunInItsTime) {
  MultiSearch many(broker.service, broker.cluster.timers, {.timeout = milliseconds(1500)});
  Answered answered;
  many.run(lines("a", 20), answered.reply());
  broker.cluster.advance(milliseconds(900));  // four are late
  EXPECT_EQ(asked(), 8u);
  EXPECT_LE(broker.leaf().searches.asked.back().deadline.left(broker.cluster.clock), milliseconds(600))
      << "no line has more time than the whole";
  broker.leaf().searches.answer(support::found({}));
  broker.cluster.advance(milliseconds(600));
  ASSERT_EQ(answered.status(), 200);
  const auto all = lines_of(answered);
  ASSERT_EQ(all.size(), 20u);
  EXPECT_EQ(all[4]["hits"].size(), 0u);
  for (std::size_t i = 5; i < 20; ++i) EXPECT_EQ(all[i]["status"], 504) << i;
  const auto not_begun = std::count_if(all.begin(), all.end(), [](const nlohmann::json& line) {
    return line.value("detail", "").find("before this line was begun") != std::string::npos;
  });
  EXPECT_GT(not_begun, 0);
  EXPECT_EQ(many.counters().late_lines, not_begun);
  EXPECT_EQ(broker.service.in_flight(), 0u);
}
TEST_F(AMultiSearch, BeginsNoLineMoreWhenItsClientHasLeft) {
  MultiSearch many(broker.service, broker.cluster.timers, {.max_requests = 1});
  Answered left, next;
  const auto ticket = many.run(lines("a", 20), left.reply());
  EXPECT_EQ(asked(), 4u);
  many.abandon(ticket);
  EXPECT_EQ(left.status(), 499);
  EXPECT_EQ(asked(), 4u);
  EXPECT_EQ(broker.leaf().cancelled, 4u);
  EXPECT_EQ(broker.service.in_flight(), 0u);
  EXPECT_EQ(broker.service.admission().waiting(), 0u);
  many.abandon(ticket);
  many.run(lines("b", 2), next.reply());
  EXPECT_EQ(next.status(), 0) << "served, not refused";
  broker.play();
  EXPECT_EQ(next.status(), 200);
  broker.cluster.advance(std::chrono::minutes(2));
  EXPECT_EQ(left.more, 0);
  EXPECT_EQ(many.counters().abandoned, 1u);
}
TEST_F(AMultiSearch, GoesOnWhenAnotherIsAbandoned) {
  MultiSearch many(broker.service, broker.cluster.timers, {});
  Answered left, stays;
  const auto ticket = many.run(lines("a", 20), left.reply());
  many.run(lines("b", 6), stays.reply());
  many.abandon(ticket);
  EXPECT_EQ(asked(), 8u) << "its lines have the others' places";
  while (stays.status() == 0) broker.play();
  for (const auto& line : lines_of(stays)) EXPECT_EQ(line["hits"].size(), 2u);
}
}  // namespace
}  // namespace frond::broker::http
