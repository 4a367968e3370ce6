// The leaf as its brokers see it.
#include "leaf/serve/leaf_service.h"

#include <span>

#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

TEST_F(LeafServiceTest, SaysWhoItIsAndWhatItServes) {
  const auto hello = ask<wire::HelloReply>(wire::HelloRequest{7});
  EXPECT_EQ(hello.request_id, 7u);
  EXPECT_EQ(hello.collection, "c");
  EXPECT_EQ(hello.node, "node:1");
  EXPECT_EQ(hello.gpu, "absent");
  EXPECT_EQ(hello.features, wire::kAllFeatures);
  EXPECT_EQ(hello.host_cache_limit, 2u);
  EXPECT_EQ(hello.machine, "2 cores");
  EXPECT_EQ(hello.budgets, (std::vector<Budget>{{.flag = "--cpu-threads", .amount = 2}}));
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

TEST_F(LeafServiceTest, TellsNobodyOfAGenerationThatLeavesButStillAnswers) {
  served_.board.get()->back()->leaving_since.store(served_.clock.now());
  EXPECT_TRUE(ask<wire::HelloReply>(wire::HelloRequest{1}).generations.empty());
  EXPECT_EQ(ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3)).or_ranking.matches, 100u);
}

TEST_F(LeafServiceTest, TellsOfItAgainOnceABrokerServesFromIt) {
  const auto one = served_.board.get()->back();
  one->leaving_since.store(served_.clock.now());
  wire::HelloRequest other{1}, of_it{2};
  other.broker.instance = of_it.broker.instance = 7;
  other.broker.serving = {one->generation, one->content + 1};
  of_it.broker.serving = one->id();
  EXPECT_TRUE(ask<wire::HelloReply>(other).generations.empty());
  EXPECT_EQ(ask<wire::HelloReply>(of_it).generations.size(), 1u);
}

TEST_F(LeafServiceTest, SaysWhichListsTheGpuCannotTakeBesideWhatElseIsWrong) {
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{1}).detail, "");
  refusals_ = "1 damaged";
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{2}).detail, "1 damaged");
  served_.board.set_detail("generation 2 is refused");
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{3}).detail, "generation 2 is refused; 1 damaged");
}

TEST_F(LeafServiceTest, IsReadyOnceBrokersHadTheTimeToFindIt) {
  EXPECT_FALSE(service_.ready());
  EXPECT_NE(service_.why_not_ready().find("find this leaf"), std::string::npos);
  EXPECT_FALSE(ask<wire::HelloReply>(wire::HelloRequest{1}).generations.empty()) << "brokers may ask it before";
  served_.clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(service_.ready());
}

TEST_F(LeafServiceTest, AnswersSearchesByTheirNumber) {
  const auto reply = ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3));
  EXPECT_EQ(reply.request_id, 42u);
  EXPECT_EQ(reply.or_ranking.matches, 100u);
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

TEST_F(LeafServiceTest, AnswersSearchesAsUnsearchedOnceDrained) {
  scheduler_.drain();
  const auto reply = ask<wire::SearchReply>(request_of(wire::Mode::kOr, {"t0"}, 3));
  ASSERT_EQ(reply.unsearched.size(), 3u);
  EXPECT_EQ(reply.unsearched[0].reason, wire::UnsearchedReason::kUnavailable);
}

TEST_F(LeafServiceTest, AnswersGarbageWithAnErrorAndGoesOn) {
  const ByteBuffer garbage(24, std::byte{0xa5});
  EXPECT_TRUE(std::holds_alternative<wire::ErrorReply>(ask_bytes(garbage)));
  EXPECT_TRUE(std::holds_alternative<wire::ErrorReply>(ask_bytes({})));
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{1}).request_id, 1u);
}

TEST_F(LeafServiceTest, TakesABudgetBeyondAnyClockForALongOne) {
  for (const auto budget : {std::chrono::microseconds::max(), std::chrono::microseconds(std::int64_t{1} << 60)}) {
    auto request = request_of(wire::Mode::kOr, {"t0"}, 3);
    request.budget = budget;
    EXPECT_TRUE(ask<wire::SearchReply>(request).unsearched.empty());
    wire::FetchRequest fetch = fetch_of({1});
    fetch.budget = budget;
    EXPECT_TRUE(ask<wire::FetchReply>(fetch).documents.at(0).found);
  }
}

// A broker that is newer than this leaf may send what it does not know.
TEST_F(LeafServiceTest, AnswersAKindThatItDoesNotKnowAsNobodys) {
  const std::uint64_t words[] = {0x0000000400000000, 0x0001000200000000, 7, 9, 0};
  const auto reply = std::get<wire::ErrorReply>(ask_bytes(std::as_bytes(std::span(words))));
  EXPECT_EQ(reply.request_id, 0u) << "brokers of every version drop it";
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

TEST_F(LeafServiceTest, HoldsNoLockWhileItAnswersAndTellsOfChangesInTheirOrder) {
  std::vector<bool> draining;
  const wire::HelloRequest hello{5, {1, "b:1", {1, 0}, std::chrono::milliseconds(500), false}};
  service_.on_request("broker", wire::encode(wire::Request(hello)), [&](ByteBuffer reply) {
    draining.push_back(std::get<wire::HelloReply>(wire::decode_reply(reply).value()).draining);
    if (draining.size() == 1) service_.withdraw();
  });
  EXPECT_EQ(draining, (std::vector<bool>{false, true}));
}

TEST_F(LeafServiceTest, TellsBrokersThatItDrainsAtOnceAndWaitsForThoseThatNeedIt) {
  std::vector<wire::HelloReply> got;
  const auto hello_from = [&](std::uint64_t instance, bool needs) {
    wire::HelloRequest hello{5, {instance, "b:1", {1, 0}, std::chrono::milliseconds(500), needs}};
    service_.on_request("broker", wire::encode(wire::Request(hello)), [&](ByteBuffer reply) {
      got.push_back(std::get<wire::HelloReply>(wire::decode_reply(reply).value()));
    });
  };
  wire::HelloRequest stranger{5, {3, "b:1", {1, 0}, std::chrono::milliseconds(500), true, "other collection"}};
  service_.on_request("broker", wire::encode(wire::Request(stranger)), [](const ByteBuffer&) {});
  EXPECT_FALSE(service_.needed()) << "by a broker that searches another collection";
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

}  // namespace
}  // namespace frond::leaf::serve
