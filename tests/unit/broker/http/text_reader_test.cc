#include "broker/http/search/text_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "broker/http/routes.h"
#include "broker/http/search/multi_search.h"
#include "tests/support/broker_thread.h"
#include "tests/support/captured_response.h"
#include "tests/support/scripted_broker.h"

namespace frond::broker::http {
namespace {
using support::Answered;
using support::BrokerThread;
using support::CapturedResponse;
using support::Mailbox;

constexpr frond::http::ClientId kOne{1}, kOther{2};

std::atomic<bool> holds = false;
std::atomic<int> read_texts = 0;
// A text of x is read when the test lets it.
ParsedSearch slow(std::string_view text) {
  while (holds && text.front() == 'x') std::this_thread::yield();
  ++read_texts;
  return parse_search_json("{\"q\":\"a\"}");
}

class ATextReader : public testing::Test {
 protected:
  ATextReader() {
    holds = false;
    read_texts = 0;
  }
  void read(const frond::http::ClientId& client, char first, int& done) {
    const auto text = std::make_shared<const std::string>(TextReader::kLittle + 1, first);
    reader.read(client, home, {text, 0, slow, gone},
                [&done](const ParsedSearch& parsed) { done += parsed.ok ? 1 : 2; });
  }
  bool deliver() {
    for (int i = 0; i < 5000; ++i) {
      if (home.run_one()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  Mailbox home;
  TextReader reader{2};
  std::shared_ptr<std::atomic<bool>> gone = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(ATextReader, IsForLargeTextsAndNeedsThreads) {
  const std::string little(TextReader::kLittle, 'x'), large(TextReader::kLittle + 1, 'x');
  EXPECT_FALSE(reader.is_large(little));
  EXPECT_TRUE(reader.is_large(large));
  EXPECT_FALSE(TextReader(0).is_large(large));
}
TEST_F(ATextReader, LetsNoClientWaitForAllOfAnother) {
  holds = true;
  int of_one = 0, of_other = 0;
  for (int i = 0; i < 10; ++i) read(kOne, 'x', of_one);
  read(kOther, 'y', of_other);
  EXPECT_TRUE(deliver());
  EXPECT_EQ(of_other, 1);
  EXPECT_EQ(of_one, 0);
  holds = false;
  while (of_one < 10) ASSERT_TRUE(deliver());
}
TEST_F(ATextReader, ReadsNothingForAClientThatHasLeft) {
  *gone = true;
  int done = 0;
  read(kOne, 'y', done);
  ASSERT_TRUE(deliver());
  EXPECT_EQ(done, 2);
  EXPECT_EQ(read_texts, 0);
}
TEST_F(ATextReader, DropsWhatWaitsWhenItEnds) {
  holds = true;
  int done = 0;
  for (int i = 0; i < 5; ++i) read(kOne, 'x', done);
  std::thread ends([&] { reader.join(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  holds = false;
  ends.join();
  EXPECT_LE(read_texts, 1);
  read(kOne, 'y', done);
  EXPECT_LE(read_texts, 1);
}

class ABrokerWithReaders : public testing::Test {
 protected:
  static std::string large(const std::string& word, const std::string& more = {}) {
    return "{\"q\":\"" + word + "\"," + more + std::string(TextReader::kLittle, ' ') + "\"k\":2}";
  }
  // Runs what comes home until `answered` says so.
  template <class IsAnswered>
  bool play_until(IsAnswered answered, int within_ms = 5000) {
    for (int i = 0; i < within_ms && !answered(); ++i) {
      while (broker.home.run_one()) {
      }
      broker.play();
      broker.cluster.timers.run_due();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return answered();
  }

  SearchService::Config config{.in_flight = {.all = 4, .batch = 3, .costly = 2}, .reading_threads = 2};
  metrics::Registry registry{"test"};
  SearchService::Shared shared{config};
  BrokerThread broker{config, shared, registry};
  MultiSearch many{broker.service, broker.cluster.timers, {}};
  StatusMetrics metrics{registry};
  frond::http::Router router = make_routes(
      {.collections = std::make_shared<const SearchedCollections>(SearchedCollections{{"c", &broker.service, &many}}),
       .registry = registry,
       .metrics = metrics,
       .slow = shared.slow,
       .broker = {}});
};

TEST_F(ABrokerWithReaders, AnswersALargeSearchAsALittleOne) {
  const auto captured = CapturedResponse::make();
  {
    const Mailbox::Here here(broker.home);
    router({.method = "POST", .path = "/v1/search", .body = large("cell")}, CapturedResponse::responder(captured));
  }
  EXPECT_FALSE(captured->got) << "it is read elsewhere";
  ASSERT_TRUE(play_until([&] { return captured->got.has_value(); }));
  EXPECT_EQ(captured->got->status, 200) << captured->got->body;
}
TEST_F(ABrokerWithReaders, ReadsALargeCountAsACount) {
  const auto captured = CapturedResponse::make();
  {
    const Mailbox::Here here(broker.home);
    router({.method = "POST", .path = "/v1/count", .body = large("cell")}, CapturedResponse::responder(captured));
  }
  ASSERT_TRUE(play_until([&] { return captured->got.has_value(); }));
  EXPECT_NE(captured->got->body.find("k is not a parameter of a count"), std::string::npos) << captured->got->body;
}
TEST_F(ABrokerWithReaders, RefusesALargeSearchThatIsWrong) {
  const auto captured = CapturedResponse::make();
  {
    const Mailbox::Here here(broker.home);
    router({.method = "POST", .path = "/v1/search", .body = large("cell", "\"yes\":1,")},
           CapturedResponse::responder(captured));
  }
  ASSERT_TRUE(play_until([&] { return captured->got.has_value(); }));
  EXPECT_EQ(captured->got->status, 400);
}
TEST_F(ABrokerWithReaders, CountsTheTimeInWhichALargeSearchWaited) {
  const auto captured = CapturedResponse::make();
  {
    const Mailbox::Here here(broker.home);
    router({.method = "POST", .path = "/v1/search", .body = large("cell", "\"timeout_ms\":500,")},
           CapturedResponse::responder(captured));
  }
  broker.cluster.advance(std::chrono::milliseconds(600));
  ASSERT_TRUE(play_until([&] { return captured->got.has_value(); }));
  EXPECT_EQ(captured->got->status, 504);
}
TEST_F(ABrokerWithReaders, ForgetsALargeSearchWhoseClientLeaves) {
  const auto captured = CapturedResponse::make();
  {
    const Mailbox::Here here(broker.home);
    router({.method = "POST", .path = "/v1/search", .body = large("cell")}, CapturedResponse::responder(captured));
    ASSERT_TRUE(captured->client_gone);
    captured->client_gone();
  }
  ASSERT_TRUE(play_until([&] { return captured->got.has_value(); }));
  EXPECT_EQ(captured->got->status, 499);
  EXPECT_TRUE(broker.leaf().searches.asked.empty());
}
TEST_F(ABrokerWithReaders, AnswersLargeLinesInTheirPlaces) {
  Answered answered;
  {
    const Mailbox::Here here(broker.home);
    many.run("{\"q\":\"a\"}\n" + large("b") + "\n{\"q\":\n" + large("c", "\"yes\":1,") + "\n" + large("d") +
                 "\n{\"q\":\"e\"}\n",
             answered.reply());
  }
  ASSERT_TRUE(play_until([&] { return answered.response.has_value(); }));
  ASSERT_EQ(answered.status(), 200);
  std::vector<bool> good;
  for (std::size_t at = 0; at < answered.response->body.size(); at = answered.response->body.find('\n', at) + 1)
    good.push_back(answered.response->body.compare(at, 10, "{\"took_ms\"") == 0);
  EXPECT_EQ(good, (std::vector<bool>{true, true, false, false, true, true}));
}
TEST_F(ABrokerWithReaders, GivesUpManySearchesWhoseClientLeaves) {
  Answered answered;
  {
    const Mailbox::Here here(broker.home);
    const auto ticket = many.run(large("a") + "\n" + large("b") + "\n", answered.reply());
    many.abandon(ticket);
  }
  EXPECT_EQ(answered.status(), 499);
  play_until([] { return false; }, 50);
  EXPECT_TRUE(broker.leaf().searches.asked.empty());
  EXPECT_EQ(answered.more, 0);
}

}  // namespace
}  // namespace frond::broker::http
