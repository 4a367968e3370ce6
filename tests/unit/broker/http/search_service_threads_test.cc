// Several threads share a cache, flights and places. Most tests run them on one thread, so that they choose the order.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/broker_thread.h"
#include "tests/support/scripted_broker.h"
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using std::chrono::milliseconds;
using support::Answered;
using support::BrokerThread;
using support::Mailbox;

class ThreeThreads : public testing::Test {
 protected:
  SearchService::Ticket ask(std::size_t thread, const std::string& q, Answered& answer, std::uint32_t timeout_ms = 0) {
    const Mailbox::Here here(threads[thread].home);
    return threads[thread].service.search(asking(q, timeout_ms), answer.reply());
  }
  std::size_t asked() {
    std::size_t sum = 0;
    for (auto& one : threads) sum += one.leaf().searches.asked.size();
    return sum;
  }
  void deliver() {
    while (threads[0].home.run_one() || threads[1].home.run_one() || threads[2].home.run_one()) {
    }
  }

  SearchService::Config config{.in_flight = {.all = 4, .batch = 3, .costly = 2}};
  metrics::Registry registry{"test"};
  SearchService::Shared shared{config};
  std::array<BrokerThread, 3> threads{BrokerThread{config, shared, registry}, BrokerThread{config, shared, registry},
                                      BrokerThread{config, shared, registry}};
};

TEST_F(ThreeThreads, AnswerFromWhatAnyOfThemHasStored) {
  Answered first, second;
  ask(0, "cell", first);
  threads[0].play();
  ask(2, "cell", second);
  EXPECT_EQ(asked(), 1u);
  ASSERT_EQ(second.status(), 200);
  EXPECT_EQ(second.body()["cache"], "hit");
  EXPECT_EQ(second.body()["hits"], first.body()["hits"]);
  EXPECT_EQ(shared.cache.counters().hits, 1u);
}
TEST_F(ThreeThreads, EvaluateEqualSearchesOnceAndAnswerEachAtHome) {
  std::array<Answered, 3> all;
  for (std::size_t i = 0; i < 3; ++i) ask(i, "cell", all[i]);
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(shared.flights.joined(), 2u);
  threads[0].play();
  EXPECT_EQ(all[0].status(), 200);
  EXPECT_EQ(all[1].status() + all[2].status(), 0) << "no other thread answers them";
  deliver();
  for (const auto& one : all) {
    EXPECT_EQ(one.status(), 200);
    EXPECT_EQ(one.more, 0);
  }
  EXPECT_EQ(shared.admission.all(), 0u);
}
TEST_F(ThreeThreads, GoOnForOthersWhenTheFirstLeavesAndStopWithTheLast) {
  Answered first, second;
  const auto one = ask(0, "cell", first), two = ask(1, "cell", second);
  {
    const Mailbox::Here here(threads[0].home);
    threads[0].service.abandon(one);
  }
  EXPECT_EQ(threads[0].leaf().cancelled, 0u);
  {
    const Mailbox::Here here(threads[1].home);
    threads[1].service.abandon(two);
  }
  EXPECT_EQ(threads[0].leaf().cancelled, 0u) << "the evaluation is the first thread's";
  EXPECT_EQ(shared.admission.all(), 1u);
  deliver();
  EXPECT_EQ(threads[0].leaf().cancelled, 1u);
  EXPECT_EQ(shared.admission.all() + shared.flights.in_flight(), 0u);
  EXPECT_EQ(first.status() + second.status(), 2 * 499);
}
TEST_F(ThreeThreads, AnswerOnceThoughTheAnswerCrossesWithTheDeadline) {
  Answered first, second;
  ask(0, "cell", first, 1000);
  ask(1, "cell", second, 1000);
  threads[0].play();
  {
    const Mailbox::Here here(threads[1].home);
    threads[1].cluster.advance(milliseconds(1000));
  }
  EXPECT_EQ(second.status(), 504);
  deliver();
  EXPECT_EQ(second.more, 0);
}
TEST_F(ThreeThreads, ShareTheirPlaces) {
  std::array<Answered, 5> all;
  for (std::size_t i = 0; i < all.size(); ++i) ask(i % 3, "word" + std::to_string(i), all[i]);
  EXPECT_EQ(all[4].status(), 429);
  EXPECT_EQ(shared.admission.all(), 4u);
  for (auto& thread : threads) thread.play();
  EXPECT_EQ(shared.admission.all(), 0u);
}
TEST_F(ThreeThreads, GiveAPlaceToALineThatWaitsOnAnother) {
  std::array<Answered, 4> all;
  for (std::size_t i = 0; i < all.size(); ++i) ask(0, "word" + std::to_string(i), all[i]);
  Answered line, left;
  std::size_t begun = 0;
  SearchService::Ticket gone;
  {
    const Mailbox::Here here(threads[1].home);
    const auto wait = [&](Answered& answer) {
      return threads[1].service.search(asking("line" + std::to_string(begun), 1000), answer.reply(), {}, {},
                                       SearchService::Line{Deadline::never(), [&] { ++begun; }});
    };
    gone = wait(left);
    EXPECT_TRUE(gone.waits());
    EXPECT_TRUE(wait(line).waits());
  }
  threads[0].play();
  EXPECT_EQ(begun, 0u) << "only its own thread begins it";
  EXPECT_EQ(shared.admission.all(), 2u) << "the places are theirs already";
  {
    const Mailbox::Here here(threads[1].home);
    threads[1].service.abandon(gone);
  }
  deliver();
  EXPECT_EQ(begun, 1u);
  EXPECT_EQ(shared.admission.all(), 1u) << "what was left has given its place back";
  threads[1].play();
  EXPECT_EQ(line.status(), 200);
  EXPECT_EQ(left.status(), 499);
  EXPECT_EQ(shared.admission.all() + shared.admission.waiting(), 0u);
}

// Searches, lines, leaving clients, answers, mail and time in random order: each search is answered once, and nothing
// is left over.
class AnyOrder : public ThreeThreads, public testing::WithParamInterface<unsigned> {
 protected:
  struct Search {
    std::size_t thread = 0;
    Answered answer;
    SearchService::Ticket ticket;
  };
  std::size_t pick(std::size_t count) { return random() % count; }
  void begin() {
    Search& search = searches.emplace_back();
    search.thread = pick(3);
    const Mailbox::Here here(threads[search.thread].home);
    const auto parameters = asking("word" + std::to_string(pick(4)), static_cast<std::uint32_t>(500 + pick(3) * 400));
    auto& service = threads[search.thread].service;
    if (pick(2) == 0)
      search.ticket = service.search(parameters, search.answer.reply());
    else
      search.ticket =
          service.search(parameters, search.answer.reply(), {}, {}, SearchService::Line{Deadline::never(), [] {}});
  }
  void leave() {
    if (searches.empty()) return;
    Search& search = searches[pick(searches.size())];
    const Mailbox::Here here(threads[search.thread].home);
    threads[search.thread].service.abandon(search.ticket);
  }
  void answer(BrokerThread& thread) {
    const Mailbox::Here here(thread.home);
    auto& leaf = thread.leaf();
    if (leaf.searches.open() == 0) return;
    if (pick(3) == 0)
      leaf.searches.answer(support::found({{0, 9}}, {{1, wire::UnsearchedReason::kOverloaded}}));
    else
      leaf.searches.answer(support::found({{0, 9}, {1, 8}}));
    while (leaf.fetches.open() > 0)
      for (const auto& asked : leaf.fetches.asked)
        if (*asked.done) {
          leaf.fetches.answer(support::documents(wire::FetchRequest(asked.request)));
          break;
        }
  }
  void pass(milliseconds span) {
    for (auto& thread : threads) {
      const Mailbox::Here here(thread.home);
      thread.cluster.advance(span);
    }
  }
  void step() {
    switch (pick(8)) {
      case 0:
      case 1:
      case 2:
        return begin();
      case 3:
        return leave();
      case 4:
        return answer(threads[pick(3)]);
      case 5:
        return pass(milliseconds(pick(100)));
      default:
        threads[pick(3)].home.run_one();
    }
  }
  std::mt19937 random{GetParam()};
  std::deque<Search> searches;
};
TEST_P(AnyOrder, AnswersEachSearchOnce) {
  for (int i = 0; i < 400; ++i) {
    step();
    ASSERT_LE(shared.admission.all(), config.in_flight.all) << "step " << i;
  }
  for (int i = 0; i < 1000 && (shared.admission.all() > 0 || shared.admission.waiting() > 0); ++i) {
    for (auto& thread : threads) answer(thread);
    deliver();
    pass(milliseconds(10));
  }
  deliver();
  for (const Search& search : searches) {
    EXPECT_NE(search.answer.status(), 0);
    EXPECT_EQ(search.answer.more, 0);
  }
  EXPECT_EQ(shared.admission.all() + shared.admission.waiting() + shared.flights.in_flight(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyOrder, testing::Range(1u, 101u));

// On real threads, for the thread sanitizer.
TEST_F(ThreeThreads, RunBesideEachOther) {
  constexpr std::size_t kSearches = 2000;
  std::array<std::deque<Answered>, 3> answers;
  std::atomic<std::size_t> busy{threads.size()};
  const auto work = [&](std::size_t number) {
    BrokerThread& self = threads[number];
    std::mt19937 random(static_cast<unsigned>(number));
    for (std::size_t i = 0; i < kSearches; ++i) {
      {
        const Mailbox::Here here(self.home);
        const auto parameters = asking("word" + std::to_string(random() % 50));
        auto& answer = answers[number].emplace_back();
        const auto ticket = i % 3 == 0 ? self.service.search(parameters, answer.reply())
                                       : self.service.search(parameters, answer.reply(), {}, {},
                                                             SearchService::Line{Deadline::never(), [] {}});
        if (random() % 16 == 0) self.service.abandon(ticket);
      }
      if (random() % 4 == 0) self.play();
      self.home.run_one();
    }
    --busy;
    while (busy > 0 || shared.admission.all() > 0) {  // others wait for what is evaluated here
      self.play();
      if (!self.home.run_one()) std::this_thread::yield();
    }
  };
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads.size(); ++i) running.emplace_back(work, i);
  for (auto& one : running) one.join();
  deliver();
  for (const auto& of_thread : answers)
    for (const Answered& one : of_thread) {
      EXPECT_NE(one.status(), 0);
      EXPECT_EQ(one.more, 0);
    }
  EXPECT_EQ(shared.admission.all() + shared.admission.waiting() + shared.flights.in_flight(), 0u);
}
}  // namespace
}  // namespace frond::broker::http
