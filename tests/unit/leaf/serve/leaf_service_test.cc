// The leaf as its brokers see it, and its documents.
#include "leaf/serve/leaf_service.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <latch>
#include <random>
#include <span>
#include <thread>

#include "common/text/field_limits.h"
#include "common/text/snippet.h"
#include "common/wire/codec.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

// One that has no room.
class FullScheduler final : public schedule::Scheduler {
 public:
  Result<void> submit(std::vector<schedule::Task>, schedule::Lane) override { return Error(Code::kOverloaded, "full"); }
  void drain() override {}
  Load load() const override { return {1, 1, 1}; }
};

class LeafServiceTest : public testing::Test {
 protected:
  wire::Reply ask_bytes(ByteView bytes) {
    std::optional<wire::Reply> got;
    service_.on_request("broker", bytes, [&](ByteBuffer reply) {
      EXPECT_FALSE(got) << "answered twice";
      got = wire::decode_reply(reply).value();
    });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::ErrorReply{});
  }
  template <class Reply>
  Reply ask(const wire::Request& request) {
    return std::get<Reply>(ask_bytes(wire::encode(request)));
  }
  wire::FetchRequest fetch_of(std::vector<Ordinal> ordinals) {
    return {5, 1, std::chrono::seconds(1), {"t1"}, std::move(ordinals)};
  }

  const std::vector<support::TestDocument> documents_ = support::random_documents(100, 1);
  ServedCollection served_{documents_, 3};
  schedule::InlineScheduler scheduler_{served_.clock};
  generation::BrokerRoll brokers_;
  const Instant ready_from_ = served_.clock.now() + std::chrono::seconds(2);
  LeafService service_{served_.parts(scheduler_),
                       {"c", "node:1", "1.0", [] { return std::string("absent"); }, ready_from_},
                       [] {
                         return CacheState{1, 2, 3, 4};
                       },
                       brokers_};
};

TEST_F(LeafServiceTest, SaysWhoItIsAndWhatItServes) {
  const auto hello = ask<wire::HelloReply>(wire::HelloRequest{7});
  EXPECT_EQ(hello.request_id, 7u);
  EXPECT_EQ(hello.collection, "c");
  EXPECT_EQ(hello.node, "node:1");
  EXPECT_EQ(hello.gpu, "absent");
  EXPECT_EQ(hello.host_cache_limit, 2u);
  ASSERT_EQ(hello.generations.size(), 1u);
  const auto& generation = hello.generations[0];
  EXPECT_EQ(generation.generation, 1u);
  EXPECT_EQ(generation.content, served_.board.get()->back()->content);
  EXPECT_NE(generation.content, 0u);
  EXPECT_EQ(generation.partitions_total, 3u);
  EXPECT_EQ(generation.statistics.documents, 100u);
  ASSERT_EQ(generation.partitions.size(), 3u);
  EXPECT_EQ(generation.partitions[1].placement.base, 1u);
  EXPECT_EQ(generation.partitions[1].placement.stride, 3u);
  EXPECT_EQ(generation.partitions[1].placement.documents, 33u);
}

TEST_F(LeafServiceTest, AnswersSearchesByTheirNumber) {
  const auto reply = ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3));
  EXPECT_EQ(reply.request_id, 42u);
  EXPECT_EQ(reply.or_ranking.matches, 100u);
}

TEST_F(LeafServiceTest, FetchesDocumentsOfAllItsPartitionsInTheOrderAsked) {
  const auto reply = ask<wire::FetchReply>(fetch_of({99, 0, 1, 50}));
  ASSERT_EQ(reply.documents.size(), 4u);
  for (const auto& fetched : reply.documents) {
    EXPECT_TRUE(fetched.found);
    const auto& expected = documents_[fetched.ordinal];
    EXPECT_EQ(fetched.id, expected.id);
    EXPECT_EQ(fetched.title, expected.title);
    EXPECT_EQ(fetched.url, expected.url);
    EXPECT_FALSE(fetched.snippet.empty());
    EXPECT_EQ(fetched.snippet.find(text::kMatchBegin) != std::string::npos, expected.terms.contains("t1"));
  }
  EXPECT_EQ(reply.documents[0].ordinal, 99u);
}

// A partition from before ingest held them: answers with such fields took connections down.
TEST(LeafServiceOfAnOldPartition, CutsFieldsThatAreTooLong) {
  auto documents = support::random_documents(40, 6);
  std::string euros;
  while (euros.size() < 40 << 20) euros += "\u20ac";
  for (const std::size_t i : {3u, 4u, 21u}) documents[i].title = euros;
  documents[5].id = std::string(4000, 'i');
  documents[5].url = "http://example.test/" + std::string(text::kMaxUrlBytes, 'u');
  documents[6].url = std::string(text::kMaxUrlBytes, 'u');
  ServedCollection served(documents, 2);
  schedule::InlineScheduler scheduler(served.clock);
  DocumentHandler handler(served.board, scheduler, served.clock);
  wire::FetchRequest request{5, 1, std::chrono::seconds(1), {"t1"}};
  for (Ordinal i = 0; i < documents.size(); ++i) request.ordinals.push_back(i);
  std::optional<wire::FetchReply> got;
  handler.fetch(request, Deadline::never(), [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
  ASSERT_TRUE(got);
  EXPECT_LT(wire::encode(wire::Reply(*got)).size(), 100'000u);
  for (const auto& fetched : got->documents) {
    const auto& expected = documents[fetched.ordinal];
    EXPECT_TRUE(fetched.found) << fetched.ordinal;
    const bool is_huge = expected.title.size() > text::kMaxTitleBytes;
    EXPECT_EQ(fetched.snippet.empty(), is_huge) << "a body behind a huge title is not looked for";
    if (is_huge || fetched.ordinal == 5) continue;
    EXPECT_EQ(fetched.id, expected.id);
    EXPECT_EQ(fetched.url, expected.url);
    EXPECT_EQ(fetched.title, expected.title);
  }
  EXPECT_EQ(got->documents[4].title, euros.substr(0, text::kMaxTitleBytes / 3 * 3)) << "between characters";
  EXPECT_EQ(got->documents[5].id, std::string(text::kMaxIdBytes, 'i'));
  EXPECT_EQ(got->documents[5].url, "");
}

TEST_F(LeafServiceTest, SaysWhichDocumentsItHasNot) {
  const auto reply = ask<wire::FetchReply>(fetch_of({100, 3, ~Ordinal{0}}));
  ASSERT_EQ(reply.documents.size(), 3u);
  EXPECT_FALSE(reply.documents[0].found);
  EXPECT_TRUE(reply.documents[1].found);
  EXPECT_FALSE(reply.documents[2].found);
}

// Every document three times, in no order.
std::vector<Ordinal> shuffled_thrice(std::size_t documents, unsigned seed) {
  std::vector<Ordinal> ordinals;
  for (std::size_t i = 0; i < 3 * documents; ++i) ordinals.push_back(i % documents);
  std::shuffle(ordinals.begin(), ordinals.end(), std::mt19937(seed));
  return ordinals;
}

wire::FetchReply fetched_by(ServedCollection& served, schedule::Scheduler& scheduler, const Clock& clock,
                            wire::FetchRequest request) {
  DocumentHandler handler(served.board, scheduler, clock);
  std::promise<wire::Reply> reply;
  handler.fetch(std::move(request), Deadline::after(clock, std::chrono::seconds(60)),
                [&](wire::Reply got) { reply.set_value(std::move(got)); });
  auto got = std::get<wire::FetchReply>(reply.get_future().get());
  scheduler.drain();
  return got;
}

TEST_F(LeafServiceTest, FetchesTheSameWithAnyNumberOfWorkers) {
  const unsigned seed = 3;
  const wire::FetchRequest request = fetch_of(shuffled_thrice(documents_.size(), seed));
  const SteadyClock clock;
  const ByteBuffer expected = wire::encode(wire::Reply(ask<wire::FetchReply>(request)));
  for (const std::size_t workers : {1u, 3u, 8u}) {
    schedule::WorkerPool pool({workers, 16}, clock, nullptr);
    EXPECT_EQ(wire::encode(wire::Reply(fetched_by(served_, pool, clock, request))), expected) << "seed " << seed;
  }
}

TEST_F(LeafServiceTest, FetchesManyDocumentsOnTheThreadsForWhatIsCostly) {
  FullScheduler usual;
  schedule::InlineScheduler costly(served_.clock);
  DocumentHandler handler(served_.board, usual, served_.clock, &costly);
  for (const std::size_t count : {100u, 101u}) {
    std::optional<wire::Reply> got;
    auto ordinals = shuffled_thrice(documents_.size(), 8);
    ordinals.resize(count);
    handler.fetch(fetch_of(std::move(ordinals)), Deadline::never(), [&](wire::Reply reply) { got = std::move(reply); });
    ASSERT_TRUE(got);
    EXPECT_EQ(std::holds_alternative<wire::FetchReply>(*got), count > 100) << count;
  }
}

TEST_F(LeafServiceTest, FetchesThoughEveryWorkerIsBusySearching) {
  const SteadyClock clock;
  schedule::WorkerPool pool({2, 16}, clock, nullptr);
  std::latch busy(2), free(1);
  std::vector<schedule::Task> tasks(2);
  for (schedule::Task& task : tasks)
    task.run = [&](const auto&) {
      busy.count_down();
      free.wait();
    };
  ASSERT_TRUE(pool.submit(std::move(tasks), schedule::Lane::kSearch));
  busy.wait();
  DocumentHandler handler(served_.board, pool, clock);
  std::promise<wire::Reply> reply;
  handler.fetch(fetch_of(shuffled_thrice(documents_.size(), 4)), Deadline::after(clock, std::chrono::seconds(60)),
                [&](wire::Reply got) { reply.set_value(std::move(got)); });
  const auto got = std::get<wire::FetchReply>(reply.get_future().get());
  free.count_down();
  EXPECT_TRUE(std::ranges::all_of(got.documents, &wire::FetchedDocument::found));
}

// Each look at it takes a millisecond.
class TickingClock final : public Clock {
 public:
  Instant now() const override { return start_ + std::chrono::milliseconds(++looks_); }

 private:
  Instant start_ = SteadyClock().now();
  mutable std::atomic<int> looks_{0};
};

TEST_F(LeafServiceTest, FetchesUntilTheDeadlineAndSaysWhatIsLacking) {
  const TickingClock clock;
  schedule::InlineScheduler scheduler(clock);
  DocumentHandler handler(served_.board, scheduler, clock);
  const wire::FetchRequest request = fetch_of(shuffled_thrice(documents_.size(), 5));
  std::optional<wire::FetchReply> got;
  handler.fetch(request, Deadline::after(clock, std::chrono::milliseconds(100)),
                [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
  ASSERT_TRUE(got);
  ASSERT_EQ(got->documents.size(), request.ordinals.size());
  for (std::size_t i = 0; i < request.ordinals.size(); ++i) EXPECT_EQ(got->documents[i].ordinal, request.ordinals[i]);
  const auto found = std::ranges::count_if(got->documents, &wire::FetchedDocument::found);
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 100);
}

TEST_F(LeafServiceTest, AnswersAFetchOfNothing) {
  EXPECT_TRUE(ask<wire::FetchReply>(fetch_of({})).documents.empty());
  EXPECT_FALSE(ask<wire::FetchReply>(fetch_of({~Ordinal{0}})).documents[0].found);
}

TEST_F(LeafServiceTest, AnswersAFetchItCannotTakeWithAnError) {
  auto late = fetch_of({1});
  late.budget = std::chrono::microseconds(0);
  EXPECT_EQ(ask<wire::ErrorReply>(late).request_id, 5u);
  auto unknown = fetch_of({1});
  unknown.generation = 8;
  EXPECT_NE(ask<wire::ErrorReply>(unknown).message.find("8"), std::string::npos);
}

TEST_F(LeafServiceTest, SaysWhyItCannotTakeAFetch) {
  auto late = fetch_of({1});
  late.budget = std::chrono::microseconds(0);
  EXPECT_EQ(ask<wire::ErrorReply>(late).reason, wire::UnsearchedReason::kDeadline);
  auto unknown = fetch_of({1});
  unknown.generation = 8;
  EXPECT_EQ(ask<wire::ErrorReply>(unknown).reason, wire::UnsearchedReason::kUnknownGeneration);
  scheduler_.drain();
  EXPECT_EQ(ask<wire::ErrorReply>(fetch_of({1})).reason, wire::UnsearchedReason::kUnavailable) << "this leaf is ending";

  FullScheduler full;
  DocumentHandler crowded(served_.board, full, served_.clock);
  std::optional<wire::Reply> got;
  crowded.fetch(fetch_of({1}), Deadline::after(served_.clock, std::chrono::seconds(1)),
                [&](wire::Reply reply) { got = std::move(reply); });
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<wire::ErrorReply>(*got).reason, wire::UnsearchedReason::kOverloaded);
}

TEST_F(LeafServiceTest, AnswersGarbageWithAnErrorAndGoesOn) {
  const ByteBuffer garbage(24, std::byte{0xa5});
  EXPECT_TRUE(std::holds_alternative<wire::ErrorReply>(ask_bytes(garbage)));
  EXPECT_TRUE(std::holds_alternative<wire::ErrorReply>(ask_bytes({})));
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{1}).request_id, 1u);
}

TEST_F(LeafServiceTest, IsReadyOnceBrokersHadTheTimeToFindIt) {
  EXPECT_FALSE(service_.ready());
  EXPECT_NE(service_.why_not_ready().find("find this leaf"), std::string::npos);
  EXPECT_FALSE(ask<wire::HelloReply>(wire::HelloRequest{1}).generations.empty()) << "brokers may ask it before";
  served_.clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(service_.ready());
}

TEST_F(LeafServiceTest, AnswersFromTheContentThatIsMeantOrNotAtAll) {
  auto search = request_of(wire::Mode::kOr, {"t0"}, 3);
  search.content = served_.board.get()->back()->content;
  EXPECT_TRUE(ask<wire::SearchReply>(search).unsearched.empty());
  search.content ^= 1;
  const auto refused = ask<wire::SearchReply>(search);
  ASSERT_EQ(refused.unsearched.size(), 3u);
  EXPECT_EQ(refused.unsearched[0].reason, wire::UnsearchedReason::kUnknownGeneration);
  auto fetch = fetch_of({1});
  fetch.content = served_.board.get()->back()->content;
  EXPECT_TRUE(ask<wire::FetchReply>(fetch).documents[0].found);
  fetch.content ^= 1;
  EXPECT_EQ(ask<wire::ErrorReply>(fetch).reason, wire::UnsearchedReason::kUnknownGeneration);
}

TEST_F(LeafServiceTest, TellsBrokersThatItDrainsAtOnceAndWaitsForThoseThatNeedIt) {
  std::vector<wire::HelloReply> got;
  const auto hello_from = [&](std::uint64_t instance, bool needs) {
    wire::HelloRequest hello{5, {instance, "b:1", {1, 0}, std::chrono::milliseconds(500), needs}};
    service_.on_request("broker", wire::encode(wire::Request(hello)), [&](ByteBuffer reply) {
      got.push_back(std::get<wire::HelloReply>(wire::decode_reply(reply).value()));
    });
  };
  hello_from(1, false);
  hello_from(2, true);
  hello_from(0, true);  // of before: it would not understand
  got.clear();
  service_.withdraw();
  ASSERT_EQ(got.size(), 2u);
  for (const auto& goodbye : got) {
    EXPECT_EQ(goodbye.request_id, 0u);
    EXPECT_TRUE(goodbye.draining);
    EXPECT_EQ(goodbye.collection, "c");
  }
  EXPECT_TRUE(service_.needed());
  hello_from(2, false);
  EXPECT_FALSE(service_.needed());
  hello_from(1, true);
  EXPECT_TRUE(service_.needed());
  served_.clock.advance(std::chrono::seconds(11));
  EXPECT_FALSE(service_.needed()) << "both have gone";
}

// ---- what a broker gives up

class LeafServiceWithAWorker : public LeafServiceTest {
 protected:
  // Sends a request as `peer`, and counts its answers.
  void send(const wire::Peer& peer, const wire::Request& request) {
    busy_.on_request(peer, wire::encode(request), [this](ByteBuffer) { ++answers_; });
  }
  // Keeps the worker and the thread of fetches until it is opened.
  void block() {
    schedule::Task task;
    task.run = [this](const auto&) {
      entered_.count_down();
      open_.wait();
    };
    ASSERT_TRUE(pool_.submit({task, task}, schedule::Lane::kInteractive));
    entered_.wait();
  }
  bool exposes(const std::string& line) { return registry_.exposition().find(line + "\n") != std::string::npos; }
  SearchParts busy_parts() {
    SearchParts parts = served_.parts(pool_);
    parts.registry = &registry_;
    return parts;
  }

  metrics::Registry registry_{"test"};
  schedule::WorkerPool pool_{{1, 100}, served_.clock, &registry_};
  LeafService busy_{busy_parts(),
                    {"c", "node:1", "1.0", [] { return std::string("absent"); }, ready_from_},
                    [] { return CacheState{}; },
                    brokers_};
  std::latch entered_{2}, open_{1};
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

// A broker that is newer than this leaf may send what it does not know.
TEST_F(LeafServiceTest, AnswersAKindThatItDoesNotKnowAsNobodys) {
  const std::uint64_t words[] = {0x0000000400000000, 0x0001000200000000, 7, 9, 0};
  const auto reply = std::get<wire::ErrorReply>(ask_bytes(std::as_bytes(std::span(words))));
  EXPECT_EQ(reply.request_id, 0u) << "brokers of every version drop it";
}

TEST(RequestsInFlight, ForgetWhatHasEnded) {
  RequestsInFlight requests;
  auto one = requests.add("a", 1);
  const auto again = requests.add("a", 1), other = requests.add("b", 1);
  EXPECT_EQ(requests.size(), 2u);
  EXPECT_TRUE(requests.cancel("a", 1));
  EXPECT_TRUE(one->cancellation().cancelled());
  EXPECT_FALSE(again->cancellation().cancelled()) << "the first of that number";
  EXPECT_FALSE(other->cancellation().cancelled());
  one.reset();
  EXPECT_FALSE(requests.cancel("a", 1));
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(LeafServiceTest, TellsOfNoGenerationOnceWithdrawnButStillServes) {
  served_.clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(service_.ready());
  service_.withdraw();
  EXPECT_FALSE(service_.ready());
  const auto hello = ask<wire::HelloReply>(wire::HelloRequest{1});
  EXPECT_TRUE(hello.generations.empty());
  EXPECT_EQ(hello.detail, "draining");
  EXPECT_TRUE(hello.draining);
  EXPECT_EQ(ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3)).or_ranking.matches, 100u);
}

TEST_F(LeafServiceTest, AnswersSearchesAsUnsearchedOnceDrained) {
  scheduler_.drain();
  const auto reply = ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3));
  ASSERT_EQ(reply.unsearched.size(), 3u);
  EXPECT_EQ(reply.unsearched[0].reason, wire::UnsearchedReason::kUnavailable);
}

}  // namespace
}  // namespace frond::leaf::serve
