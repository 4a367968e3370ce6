// Documents in the reply to a search.
#include <algorithm>
#include <map>

#include "common/query/json/clause_json.h"
#include "tests/support/explained_score.h"
#include "tests/unit/leaf/serve/leaf_service_fixture.h"

namespace frond::leaf::serve {
namespace {

wire::SearchRequest shown_request(wire::Mode mode, const std::vector<std::string>& terms, wire::Show show) {
  wire::SearchRequest request = request_of(mode, terms, 3);
  request.budget = std::chrono::seconds(1);
  request.show = show;
  return request;
}

class AShownSearch : public LeafServiceTest {
 protected:
  // The documents that a fetch of the page would return.
  std::vector<wire::FetchedDocument> fetched(const wire::SearchRequest& request, const wire::Ranking& ranking) {
    wire::FetchRequest fetch = fetch_of({});
    fetch.terms.clear();
    for (const auto& term : request.terms) fetch.terms.push_back(term.text);
    for (std::size_t i = request.show.offset;
         i < std::min<std::size_t>(request.show.offset + request.show.count, ranking.hits.size()); ++i)
      fetch.ordinals.push_back(ranking.hits[i].ordinal);
    return ask<wire::FetchReply>(fetch).documents;
  }
  static ByteBuffer bytes_of(std::vector<wire::FetchedDocument> documents) {
    return wire::encode(wire::Reply(wire::FetchReply{1, std::move(documents)}));
  }
};

TEST_F(AShownSearch, HasTheDocumentsThatAFetchOfThePageWouldHave) {
  for (const auto mode : {wire::Mode::kAnd, wire::Mode::kOr})
    for (const wire::Show& show : {wire::Show{0, 10}, wire::Show{0, 1}, wire::Show{3, 7}, wire::Show{9, 1}}) {
      const auto request = shown_request(mode, {"t1", "t2"}, show);
      const auto reply = ask<wire::SearchReply>(request);
      const auto& ranking = mode == wire::Mode::kAnd ? reply.and_ranking : reply.or_ranking;
      EXPECT_EQ(bytes_of(reply.documents), bytes_of(fetched(request, ranking)));
      EXPECT_FALSE(reply.documents.empty());
    }
}

TEST_F(AShownSearch, ShowsTheRankingOfAutoThatTheBrokerWillUse) {
  const auto one = std::ranges::find_if(documents_, [](const auto& document) { return document.terms.contains("t1"); });
  auto request = shown_request(wire::Mode::kAuto, {"t1", "own" + one->id}, {0, 10});
  for (const wire::Show& show : {wire::Show{0, 1}, wire::Show{0, 10}, wire::Show{1, 1}, wire::Show{4, 6}}) {
    request.show = show;
    request.depth = request.auto_needs = show.offset + show.count;
    const auto reply = ask<wire::SearchReply>(request);
    ASSERT_EQ(reply.has_or, request.depth > 1);
    ASSERT_EQ(reply.and_ranking.hits.size(), 1u);
    wire::Ranking page = reply.and_ranking;  // the document with both words, then the others
    for (const topk::Hit& hit : reply.or_ranking.hits)
      if (hit.ordinal != reply.and_ranking.hits[0].ordinal) page.hits.push_back(hit);
    EXPECT_EQ(bytes_of(reply.documents), bytes_of(fetched(request, page)));
    EXPECT_EQ(reply.documents.size(), show.count);
  }
}

TEST_F(AShownSearch, SaysWhyDocumentsHaveTheirScoresIfAsked) {
  const std::string clause = query::clause_json(
      {query::Bool{{}, {{query::Words{"", "t1 t2 t3", query::Mode::kAuto}}, {query::All()}}, {}, {}, {}}});
  for (const bool with_clause : {false, true})
    for (const auto mode : {wire::Mode::kAnd, wire::Mode::kOr, wire::Mode::kAuto}) {
      auto request = shown_request(mode, {"t2", "t1"}, {0, 30});
      request.terms[0].occurrences = 3;
      request.depth = request.auto_needs = 30;
      if (with_clause) {
        request.terms.clear();
        request.clause = clause;
        request.bm25 = scoring::Bm25Parameters{1.7, 0.9};
      }
      EXPECT_TRUE(ask<wire::SearchReply>(request).documents[0].explanation.empty());
      request.show.explain = true;
      const auto reply = ask<wire::SearchReply>(request);
      std::map<Ordinal, topk::Score> scores;  // of AND where a document is in both
      for (const auto* hits : {&reply.and_ranking.hits, &reply.or_ranking.hits})
        for (const topk::Hit& hit : *hits) scores.emplace(hit.ordinal, hit.score);
      ASSERT_GE(reply.documents.size(), 20u);
      for (const auto& one : reply.documents) {
        ASSERT_FALSE(one.explanation.empty());
        EXPECT_EQ(support::explained_score(nlohmann::json::parse(one.explanation)), scores.at(one.ordinal));
      }
      // A fetch has the same.
      wire::FetchRequest fetch = fetch_of({reply.documents[7].ordinal, reply.documents[1].ordinal});
      fetch.explain = std::make_shared<const wire::SearchRequest>(request);
      const auto fetched = ask<wire::FetchReply>(fetch).documents;
      EXPECT_EQ(fetched[0].explanation, reply.documents[7].explanation);
      EXPECT_EQ(fetched[1].explanation, reply.documents[1].explanation);
    }
}

TEST_F(AShownSearch, HasNoneIfNothingIsToBeShownOrFound) {
  EXPECT_TRUE(ask<wire::SearchReply>(shown_request(wire::Mode::kOr, {"t1"}, {})).documents.empty());
  EXPECT_TRUE(ask<wire::SearchReply>(shown_request(wire::Mode::kOr, {"unknown"}, {0, 10})).documents.empty());
}

TEST_F(AShownSearch, HasNoneIfAPartitionIsUnsearched) {
  auto request = shown_request(wire::Mode::kOr, {"t1"}, {0, 10});
  request.partitions = {0, 1, 2, 3};
  const auto reply = ask<wire::SearchReply>(request);
  EXPECT_EQ(reply.unsearched.size(), 1u);
  EXPECT_TRUE(reply.documents.empty());
}

TEST_F(AShownSearch, HasTheRankingWithoutDocumentsWhenLittleTimeIsLeft) {
  auto request = shown_request(wire::Mode::kOr, {"t1"}, {0, 10});
  ScriptedEngine slow;
  slow.before = [&](const engine::Plan&) {
    served_.clock.advance(std::chrono::milliseconds(310));
  };  // three partitions
  SearchParts parts = served_.parts(scheduler_);
  LeafService service(
      {parts.board, parts.lists, slow, slow, scheduler_, served_.clock},
      {"c", "node:1", "1.0", [] { return std::string("absent"); }}, [] { return CacheState{}; }, brokers_, requests_);
  std::optional<wire::SearchReply> reply;
  service.on_request("broker", wire::encode(wire::Request(request)),
                     [&](ByteBuffer bytes) { reply = std::get<wire::SearchReply>(*wire::decode_reply(bytes)); });
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->unsearched.empty());
  EXPECT_EQ(reply->or_ranking.hits.size(), 10u);
  EXPECT_TRUE(reply->documents.empty());
}

}  // namespace
}  // namespace frond::leaf::serve
