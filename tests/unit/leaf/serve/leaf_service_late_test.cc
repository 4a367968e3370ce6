// What an answer can do without never takes the time of what it cannot: documents that of the hits, explanations that
// of the documents.
#include "leaf/serve/documents/document_handler.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

class WhatALeafCanDoWithout : public LeafServiceTest {
 protected:
  wire::FetchRequest explained_fetch() {
    wire::FetchRequest fetch = fetch_of({1, 2, 3});
    fetch.explain = std::make_shared<const wire::SearchRequest>(request_of(wire::Mode::kOr, {"t0"}, 3));
    return fetch;
  }
  wire::FetchReply fetched(const DocumentHandler::Explain& explain, Deadline deadline) {
    DocumentHandler handler(served_.board, scheduler_, served_.clock, nullptr, nullptr, explain);
    std::optional<wire::FetchReply> got;
    handler.fetch(explained_fetch(), deadline, [&](wire::Reply reply) { got = std::get<wire::FetchReply>(reply); });
    return got.value_or(wire::FetchReply{});
  }
};

TEST_F(WhatALeafCanDoWithout, ExplainsInHalfOfTheTimeThatIsLeft) {
  Cancellation cancellation;
  const Instant now = served_.clock.now();
  const auto explain = [&](const auto&, const auto&, Deadline deadline, std::span<wire::FetchedDocument> documents) {
    EXPECT_EQ(deadline.when(), now + std::chrono::milliseconds(500));
    EXPECT_FALSE(deadline.cancelled());
    cancellation.cancel();
    EXPECT_TRUE(deadline.cancelled()) << "it ends with its request";
    documents[1].explanation = R"({"clause":"t0","score":1})";
    return Result<void>(Error(Code::kDeadline, "late"));
  };
  const auto got = fetched(explain, Deadline::at(now + std::chrono::seconds(1)).or_when(cancellation));
  ASSERT_EQ(got.documents.size(), 3u);
  for (const auto& one : got.documents) EXPECT_TRUE(one.found);
  EXPECT_EQ(got.documents[0].explanation, R"({"missing":"the time was over"})");
  EXPECT_EQ(got.documents[1].explanation, R"({"clause":"t0","score":1})");
  EXPECT_EQ(got.documents[2].explanation, R"({"missing":"the time was over"})");
}

TEST_F(WhatALeafCanDoWithout, SaysThatAnExplanationCouldNotBeMade) {
  const auto explain = [](const auto&, const auto&, Deadline, std::span<wire::FetchedDocument>) {
    return Result<void>(Error(Code::kCorrupt, "damaged"));
  };
  for (const auto& one : fetched(explain, Deadline::never()).documents) {
    EXPECT_TRUE(one.found);
    EXPECT_EQ(one.explanation, R"({"missing":"it could not be made"})");
  }
}

TEST_F(WhatALeafCanDoWithout, LeavesExplanationsOutThatHaveNoRoomInTheReply) {
  const auto explain = [](const auto&, const auto&, Deadline, std::span<wire::FetchedDocument> documents) {
    documents[0].explanation = "{" + std::string(20 << 20, ' ') + "}";
    documents[1].explanation = "{" + std::string(20 << 20, ' ') + "}";
    documents[2].explanation = "{}";
    return Result<void>();
  };
  const auto got = fetched(explain, Deadline::never());
  EXPECT_EQ(got.documents[0].explanation.size(), (20u << 20) + 2);
  EXPECT_EQ(got.documents[1].explanation, R"({"missing":"there was no room for it"})");
  EXPECT_EQ(got.documents[2].explanation, "{}");
}

TEST_F(WhatALeafCanDoWithout, SendsHitsWithoutDocumentsThatTakeTooLong) {
  served_.clock.advance_at_each_look(std::chrono::milliseconds(1));
  wire::SearchRequest request = request_of(wire::Mode::kOr, {"t0"}, 3);
  request.depth = 100;
  request.budget = std::chrono::minutes(1);
  Instant begun = served_.clock.now();
  (void)ask<wire::SearchReply>(request);
  const auto search_takes = served_.clock.now() - begun;
  request.show = {0, 100};
  for (const auto left :
       {std::chrono::milliseconds(60), std::chrono::milliseconds(600)}) {  // to read a document takes 1
    request.budget = std::chrono::duration_cast<std::chrono::microseconds>(search_takes) + left;
    begun = served_.clock.now();
    const auto reply = ask<wire::SearchReply>(request);
    EXPECT_LT(served_.clock.now(), begun + request.budget) << "the broker would have given it up";
    EXPECT_EQ(reply.or_ranking.hits.size(), 100u);
    EXPECT_EQ(reply.documents.size(), left.count() > 100 ? 100u : 0u) << "the broker fetches them";
  }
}

}  // namespace
}  // namespace frond::leaf::serve
