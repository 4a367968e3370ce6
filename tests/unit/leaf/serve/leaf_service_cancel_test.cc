// Requests that brokers cancel, and those that wait when there are too many.
#include <atomic>
#include <latch>
#include <thread>

#include "common/wire/messages.h"
#include "leaf/families/metric_families.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/support/memory/failing_allocations.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

class LeafServiceWithAWorker : public LeafServiceTest {
 protected:
  // Sends a request as `peer`, and counts its answers.
  void send(const wire::Peer& peer, const wire::Request& request) {
    busy_.on_request(peer, wire::encode(request), [this](const ByteBuffer&) { ++answers_; });
  }
  // The same once no request waits for the usual worker.
  void send_in_turn(const wire::Request& request) {
    while (pool_.load().waiting + pool_.load().running > 0) std::this_thread::yield();
    send("one", request);
  }
  static std::vector<std::string> long_words() {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < wire::kMaxTerms; ++i) words.push_back(std::to_string(i) + std::string(1000, 'x'));
    return words;
  }
  // Keeps the worker and the thread of fetches until it is opened.
  void block() { block(pool_); }
  void block(schedule::WorkerPool& pool) {
    schedule::Task task;
    task.run = [this](const auto&) {
      entered_.count_down();
      open_.wait();
    };
    ASSERT_TRUE(pool.submit({task, task}, schedule::Lane::kInteractive));
    entered_.wait();
  }
  bool exposes(const std::string& line) { return registry_.exposition().find(line + "\n") != std::string::npos; }
  SearchParts busy_parts() {
    SearchParts parts = served_.parts(pool_);
    parts.registry = &registry_;
    parts.costly = &costly_;
    return parts;
  }

  metrics::Registry registry_{"test"};
  RequestsInFlight requests_{registry_.gauge(families::kInFlight)};  // in place of the fixture's
  std::latch entered_{2}, open_{1};                                  // outlive the pool's threads
  schedule::WorkerPool pool_{{1, 1000}, served_.clock, &registry_};
  schedule::WorkerPool costly_{{1, 1000, schedule::WorkerPool::Options::Work::kCostly}, served_.clock, &registry_};
  LeafService busy_{busy_parts(),
                    {"c", "node:1", "1.0", [] { return std::string("absent"); }, ready_from_},
                    [] { return CacheState{}; },
                    brokers_,
                    requests_};
  std::atomic<int> answers_{0};
};

TEST_F(LeafServiceWithAWorker, DropsWhatIsGivenUpWhileItWaits) {
  served_.engine.before = [](const engine::Plan&) { ADD_FAILURE() << "searched"; };
  block();
  send("one", request_of(wire::Mode::kOr, {"t0"}, 3));
  send("one", fetch_of({1, 2, 3}));
  send("one", wire::CancelRequest{42});
  send("one", wire::CancelRequest{5});
  open_.count_down();
  pool_.drain();
  EXPECT_EQ(answers_, 0);
  EXPECT_TRUE(exposes("frond_leaf_requests_cancelled_total{kind=\"search\"} 1"));
  EXPECT_TRUE(exposes("frond_leaf_requests_cancelled_total{kind=\"fetch\"} 1"));
  EXPECT_TRUE(exposes("frond_leaf_requests_in_flight 0"));
  EXPECT_TRUE(exposes("frond_leaf_unsearched_partitions_total{reason=\"deadline\"} 0")) << "nobody went without";
}

TEST_F(LeafServiceWithAWorker, CountsNoRequestForEverThatMemoryRanOutFor) {
  if (!support::kAllocationsCanFail) GTEST_SKIP();
  const LeafService::Answer answer = [this](const ByteBuffer&) { ++answers_; };
  block();
  for (const wire::Request& request :
       {wire::Request(request_of(wire::Mode::kOr, {"t0"}, 3)), wire::Request(fetch_of({1}))}) {
    const ByteBuffer bytes = wire::encode(request);
    bool failed = true;
    for (std::uint64_t count = 1; failed; ++count) {
      support::fail_allocation(count);
      busy_.on_request("one", bytes, answer);
      failed = !support::allocation_will_fail();
      support::fail_allocation(0);
    }
  }
  EXPECT_FALSE(exposes("frond_leaf_requests_in_flight 0"));
  open_.count_down();
  pool_.drain();
  EXPECT_TRUE(exposes("frond_leaf_requests_in_flight 0"));
}

TEST_F(LeafServiceWithAWorker, RefusesSearchesOnceThoseThatWaitAreTooManyBytes) {
  block();
  ByteBuffer large = wire::encode(request_of(wire::Mode::kOr, {"t0"}, 3));
  large.resize(4u << 20);  // what follows the message is ignored
  for (int i = 0; i < 40; ++i) busy_.on_request("one", large, [this](const ByteBuffer&) { ++answers_; });
  EXPECT_EQ(answers_, 24) << "16 wait, 64 MiB";
  open_.count_down();
  pool_.drain();
  EXPECT_EQ(answers_, 40);
}

TEST_F(LeafServiceWithAWorker, RefusesSearchesOnceThoseThatWaitForCostlyThreadsHoldTooMuch) {
  block(costly_);
  auto costly = request_of(wire::Mode::kOr, long_words(), 3);
  costly.depth = 101;
  for (int i = 0; i < 200; ++i) send_in_turn(costly);
  while (pool_.load().waiting + pool_.load().running > 0) std::this_thread::yield();
  EXPECT_GT(answers_, 60) << "each holds half a MiB";
  EXPECT_LT(answers_, 100);
  EXPECT_GT(requests_.bytes(), RequestsInFlight::kMaxBytes * 9 / 10);
  open_.count_down();
  pool_.drain();
  costly_.drain();
  EXPECT_EQ(answers_, 200);
  EXPECT_EQ(requests_.bytes(), 0u);
}

TEST_F(LeafServiceWithAWorker, RefusesFetchesOnceThoseThatWaitHoldTooMuch) {
  block(costly_);
  wire::FetchRequest fetch = fetch_of(std::vector<Ordinal>(wire::kMaxOrdinals, 1));
  fetch.terms = long_words();
  fetch.fields = wire::kFieldTitle;
  for (int i = 0; i < 200; ++i) send("one", fetch);
  EXPECT_GT(answers_, 60) << "each holds three quarters of a MiB";
  EXPECT_LT(answers_, 140);
  open_.count_down();
  pool_.drain();
  costly_.drain();
  EXPECT_EQ(answers_, 200);
}

TEST_F(LeafServiceWithAWorker, HoldsLittleForPartitionsThatAreNotHere) {
  block(costly_);
  auto costly = request_of(wire::Mode::kOr, {"t0"}, wire::kMaxPartitions);
  costly.depth = 101;
  for (int i = 0; i < 100; ++i) send_in_turn(costly);
  while (pool_.load().waiting + pool_.load().running > 0) std::this_thread::yield();
  EXPECT_LT(requests_.bytes(), 100u * 21'000);
  EXPECT_EQ(answers_, 0);
  open_.count_down();
  costly_.drain();
  EXPECT_EQ(answers_, 100);
}

TEST_F(LeafServiceWithAWorker, StopsAllThatAPeerHasAskedForOnceItHasGone) {
  served_.engine.before = [](const engine::Plan&) { ADD_FAILURE() << "searched"; };
  block();
  auto search = request_of(wire::Mode::kOr, {"t0"}, 3);
  search.budget = std::chrono::hours(1);
  for (int i = 0; i < 500; ++i) {
    search.request_id = static_cast<std::uint64_t>(42 + i % 400);  // some are used twice
    send("one", search);
    send("one", fetch_of({1}));
  }
  served_.engine.before = nullptr;
  send("two", search);
  requests_.cancel_all("one");
  open_.count_down();
  pool_.drain();
  EXPECT_EQ(answers_, 1);
  EXPECT_EQ(requests_.size(), 0u);
}

TEST_F(LeafServiceWithAWorker, ObeysNoLongerBudgetThanBrokersGive) {
  block();
  auto search = request_of(wire::Mode::kOr, {"t0"}, 3);
  search.budget = std::chrono::hours(24);
  std::optional<wire::Reply> reply;
  busy_.on_request("one", wire::encode(search), [&](const ByteBuffer& got) { reply = *wire::decode_reply(got); });
  served_.clock.advance(wire::kMaxBudget);
  open_.count_down();
  pool_.drain();
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<wire::SearchReply>(*reply).unsearched.at(0).reason, wire::UnsearchedReason::kDeadline);
}

TEST_F(LeafServiceWithAWorker, StopsWhatIsGivenUpWhileItRuns) {
  int searched = 0;
  served_.engine.before = [&](const engine::Plan& plan) {
    ++searched;
    EXPECT_FALSE(plan.deadline.passed(served_.clock));
    send("one", wire::CancelRequest{42});
    EXPECT_TRUE(plan.deadline.passed(served_.clock));
  };
  send("one", request_of(wire::Mode::kAuto, {"t10", "t11"}, 3));
  pool_.drain();
  EXPECT_EQ(searched, 1) << "of three partitions, AND and OR";
  EXPECT_EQ(answers_, 0);
}

TEST_F(LeafServiceWithAWorker, LetsABrokerGiveUpItsOwnRequestsOnly) {
  block();
  send("one", request_of(wire::Mode::kOr, {"t0"}, 3));
  send("two", request_of(wire::Mode::kOr, {"t0"}, 3));
  send("two", wire::CancelRequest{42});
  send("two", wire::CancelRequest{41});
  open_.count_down();
  pool_.drain();
  EXPECT_EQ(answers_, 1);
}

TEST_F(LeafServiceWithAWorker, TakesNoNoticeWhenItHasAnsweredAlready) {
  send("one", fetch_of({1}));
  while (answers_ == 0) std::this_thread::yield();
  send("one", wire::CancelRequest{5});
  send("one", fetch_of({1}));
  pool_.drain();
  EXPECT_EQ(answers_, 2);
}

TEST(RequestsInFlight, ForgetWhatHasEnded) {
  RequestsInFlight requests;
  auto one = requests.add("a", 1);
  const auto again = requests.add("a", 1), other = requests.add("b", 1);
  EXPECT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests.cancel("a", 1));
  EXPECT_TRUE(one->cancellation().cancelled());
  EXPECT_FALSE(again->cancellation().cancelled()) << "the first of that number";
  EXPECT_FALSE(other->cancellation().cancelled());
  one.reset();
  EXPECT_EQ(requests.size(), 2u);
  requests.cancel_all("a");
  EXPECT_TRUE(again->cancellation().cancelled());
  EXPECT_FALSE(other->cancellation().cancelled());
  EXPECT_FALSE(requests.cancel("c", 1));
}

TEST(RequestsInFlight, CountWhatTheyHoldNow) {
  RequestsInFlight requests;
  auto one = requests.add("a", 1), two = requests.add("a", 2);
  EXPECT_TRUE(one->hold(RequestsInFlight::kMaxBytes));
  EXPECT_EQ(two->hold(1), Code::kOverloaded);
  EXPECT_TRUE(one->hold(10));
  EXPECT_EQ(requests.bytes(), 11u);
  one.reset();
  two.reset();
  EXPECT_EQ(requests.bytes(), 0u);
}

}  // namespace
}  // namespace frond::leaf::serve
