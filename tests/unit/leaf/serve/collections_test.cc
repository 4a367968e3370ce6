// A leaf of two collections as brokers see it.
#include "leaf/serve/collections.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

class CollectionsTest : public testing::Test {
 protected:
  struct Side {
    Side(const std::string& name, std::size_t documents, std::uint64_t seed, RequestsInFlight& requests)
        : texts(support::random_documents(documents, seed)),
          served(texts, 2),
          scheduler(served.clock),
          service(
              served.parts(scheduler),
              {name, "node:1", "1.0", [] { return std::string("absent"); },
               served.clock.now() + std::chrono::seconds(2)},
              [] { return CacheState(); }, brokers, requests) {}
    GenerationId id() const { return served.board.get()->back()->id(); }

    std::vector<support::TestDocument> texts;
    ServedCollection served;
    support::InlineScheduler scheduler;
    generation::BrokerRoll brokers;
    LeafService service;
  };

  template <class Reply>
  Reply ask(const wire::Request& request) {
    const auto got = std::make_shared<std::vector<wire::Reply>>();  // withdraw() calls a hello's answer again
    leaf_.on_request("broker", wire::encode(request),
                     [got](ByteBuffer reply) { got->push_back(wire::decode_reply(reply).value()); });
    EXPECT_EQ(got->size(), 1u);
    return std::get<Reply>(got->at(0));
  }
  wire::SearchRequest search_of(const GenerationId& id) {
    auto request = request_of(wire::Mode::kOr, {"t0"}, 2);
    request.generation = id.number;
    request.content = id.content;
    return request;
  }
  wire::HelloRequest hello_of(const std::string& collection, bool needs = false) {
    return {7, {1, "b:1", {1, 0}, std::chrono::milliseconds(500), needs, collection}};
  }
  void let_brokers_find_it() {
    for (Side* side : {&a_, &b_}) side->served.clock.advance(std::chrono::seconds(2));
  }

  RequestsInFlight requests_;
  Side a_{"a", 100, 1, requests_}, b_{"b", 60, 2, requests_};
  const Collections leaf_{{{"a", a_.service, a_.served.board}, {"b", b_.service, b_.served.board}}};
};

TEST_F(CollectionsTest, AnswersHellosByTheCollectionsName) {
  for (const auto* side : {&a_, &b_}) {
    const std::string name = side == &a_ ? "a" : "b";
    const auto reply = ask<wire::HelloReply>(hello_of(name));
    EXPECT_EQ(reply.collection, name);
    ASSERT_EQ(reply.generations.size(), 1u);
    EXPECT_EQ(reply.generations[0].id(), side->id());
  }
  EXPECT_EQ(ask<wire::HelloReply>(wire::HelloRequest{1}).collection, "a") << "an older broker names none";
  EXPECT_EQ(ask<wire::HelloReply>(hello_of("other")).collection, "a") << "so that its broker learns who is here";
}

TEST_F(CollectionsTest, AnswersSearchesAndFetchesFromTheGenerationThatTheyName) {
  ASSERT_EQ(a_.id().number, b_.id().number);
  ASSERT_NE(a_.id().content, b_.id().content);
  for (const auto* side : {&a_, &b_}) {
    const auto reply = ask<wire::SearchReply>(search_of(side->id()));
    EXPECT_TRUE(reply.unsearched.empty());
    EXPECT_EQ(reply.or_ranking.matches, side->texts.size());
  }
  EXPECT_EQ(ask<wire::SearchReply>(search_of({1, 0})).or_ranking.matches, 100u) << "an older broker's";
  const auto unknown = ask<wire::SearchReply>(search_of({1, a_.id().content ^ b_.id().content}));
  ASSERT_EQ(unknown.unsearched.size(), 2u);
  EXPECT_EQ(unknown.unsearched[0].reason, wire::UnsearchedReason::kUnknownGeneration);
  wire::FetchRequest fetch{5, 1, std::chrono::seconds(1), {"t1"}, {80}};
  fetch.content = a_.id().content;
  EXPECT_TRUE(ask<wire::FetchReply>(fetch).documents.at(0).found);
  fetch.content = b_.id().content;
  EXPECT_FALSE(ask<wire::FetchReply>(fetch).documents.at(0).found) << "b has 60 documents";
}

TEST_F(CollectionsTest, AnswersGarbageOnce) {
  int answers = 0;
  leaf_.on_request("broker", ByteBuffer(24, std::byte{0xa5}), [&](const ByteBuffer&) { ++answers; });
  leaf_.on_request("broker", {}, [&](const ByteBuffer&) { ++answers; });
  EXPECT_EQ(answers, 2);
}

TEST_F(CollectionsTest, CancelsInWhicheverCollectionTheSearchRuns) {
  int answers = 0;
  b_.served.engine.before = [&](const engine::Plan&) {
    leaf_.on_request("broker", wire::encode(wire::Request(wire::CancelRequest{42})),
                     [&](const ByteBuffer&) { ++answers; });
  };
  leaf_.on_request("broker", wire::encode(wire::Request(search_of(b_.id()))), [&](const ByteBuffer&) { ++answers; });
  EXPECT_EQ(answers, 0);
}

TEST_F(CollectionsTest, IsReadyOnceEachCollectionIsLoadedOrCannotBe) {
  EXPECT_EQ(leaf_.why_not_ready(), "a: brokers are given the time to find this leaf");
  let_brokers_find_it();
  EXPECT_EQ(leaf_.why_not_ready(), "");
  b_.served.board.put({});
  EXPECT_EQ(leaf_.why_not_ready(), "b: no generation is served yet") << "it is being loaded";
  b_.served.board.set_detail("generation 1 refused: broken");
  EXPECT_EQ(leaf_.why_not_ready(), "") << "it must not keep a from being searched";
  const auto states = leaf_.states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_TRUE(states[0].ready);
  EXPECT_EQ(states[0].generation, 1u);
  EXPECT_EQ(states[0].detail, "");
  EXPECT_EQ(states[1].name, "b");
  EXPECT_FALSE(states[1].ready);
  EXPECT_EQ(states[1].generation, 0u);
  EXPECT_EQ(states[1].detail, "generation 1 refused: broken");
  a_.served.board.put({});
  a_.served.board.set_detail("repository: gone");
  EXPECT_EQ(leaf_.why_not_ready(), "a: no generation is served yet") << "nothing can be searched";
}

TEST_F(CollectionsTest, DrainsAllAndWaitsWhileABrokerNeedsOne) {
  let_brokers_find_it();
  EXPECT_FALSE(leaf_.needed());
  ask<wire::HelloReply>(hello_of("other", true));
  EXPECT_FALSE(leaf_.needed()) << "by a broker of a collection that is not here";
  ask<wire::HelloReply>(hello_of("b", true));
  EXPECT_TRUE(leaf_.needed());
  leaf_.withdraw();
  EXPECT_EQ(leaf_.why_not_ready(), "a: draining");
  for (const char* name : {"a", "b"}) EXPECT_TRUE(ask<wire::HelloReply>(hello_of(name)).draining);
  EXPECT_EQ(ask<wire::SearchReply>(search_of(b_.id())).or_ranking.matches, 60u) << "requests are still served";
}

}  // namespace
}  // namespace frond::leaf::serve
