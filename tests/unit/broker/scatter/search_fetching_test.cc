// The second round trip: fields of the hits, and leaves that fail in it.
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using std::chrono::milliseconds;
using support::documents;
using support::found;

TEST_F(ASearch, FetchesAllFieldsByDefaultAndSendsTheTermsForTheSnippets) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  EXPECT_EQ(leaf(0).fetches.last().fields, wire::kAllFields);
  EXPECT_EQ(leaf(0).fetches.last().terms, std::vector<std::string>{"word"});
}
TEST_F(ASearch, FetchesTheFieldsThatAreWantedFromAnotherReplicaToo) {
  fields = wire::kFieldTitle | wire::kFieldUrl;
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  const wire::FetchRequest first = leaf(0).fetches.last();
  leaf(0).fetches.answer(Error(Code::kOverloaded, "1024 tasks wait"));
  for (const auto& request : {first, leaf(1).fetches.last()}) {
    EXPECT_EQ(request.fields, fields);
    EXPECT_TRUE(request.terms.empty()) << "terms are for snippets";
  }
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 ");
}
TEST_F(ASearch, AsksForExplanationsOfPagesThatAreNotTooLong) {
  no_replica();
  for (const std::uint32_t k : {100u, 101u}) {
    explain = true;
    page.reset();
    start(milliseconds(1000), k);
    leaf(0).searches.answer(found({{0, 9}}));
    leaf(2).searches.answer(found({}));
    const auto asked = leaf(0).fetches.last().explain;
    ASSERT_EQ(asked != nullptr, k == 100);
    EXPECT_TRUE(!asked || asked->terms.size() == 1);
    wire::FetchReply reply = documents(leaf(0).fetches.last());
    reply.documents[0].explanation = "{}";
    leaf(0).fetches.answer(reply);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->hits[0].explanation, "{}");
  }
}
TEST_F(ASearch, KeepsALeafInServiceThatRefusesToFetchForOverload) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(2).fetches.answer(Error(Code::kOverloaded, "1024 tasks wait"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(unsearched(), "2:overloaded ");
  EXPECT_TRUE(cluster.map.leaves()[2]->healthy);
  EXPECT_TRUE(cluster.map.topology()->whole());
}
TEST_F(ASearch, AsksALeafAgainWhatItServesThatHasLeftTheGenerationBetweenTheTrips) {
  start();
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  const std::size_t before = leaf(0).hellos.asked.size();
  leaf(0).fetches.answer(Error(Code::kNotFound, "generation 1 is not served"));
  EXPECT_TRUE(cluster.map.leaves()[0]->healthy);
  cluster.advance(milliseconds(0));
  EXPECT_EQ(leaf(0).hellos.asked.size(), before + 1);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(page->hits.size(), 1u) << "from the other replica";
}
TEST_F(ASearch, FetchesFromAnotherReplicaWhenTheFirstDiesBetweenTheTrips) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  EXPECT_EQ(leaf(1).fetches.open(), 1u);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 d2 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASearch, DropsTheHitsOfALeafThatDiesBetweenTheTrips) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({{2, 7}}));
  leaf(0).fetches.answer(Error(Code::kUnavailable, "gone"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d2 ");
  EXPECT_EQ(unsearched(), "0:unavailable 1:unavailable ");
  EXPECT_FALSE(page->total.exact);
}
TEST_F(ASearch, DropsTheWholePartitionOfADocumentThatIsNotThere) {
  no_replica();
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}, {3, 7}}));
  leaf(2).searches.answer(found({}));
  auto reply = documents(leaf(0).fetches.last());
  reply.documents[0].found = false;
  leaf(0).fetches.answer(reply);
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 ") << "d3 is of partition 0 as well";
  EXPECT_EQ(unsearched(), "0:corrupt ");
}
// A leaf that reaches the deadline while it reads sends what it has.
TEST_F(ASearch, SaysWhyALeafDidNotReadADocument) {
  using wire::UnsearchedReason;
  no_replica();
  for (const auto& [reasons, wanted] :
       {std::pair{std::pair{UnsearchedReason::kDeadline, UnsearchedReason::kDeadline}, "0:deadline "},
        {{UnsearchedReason::kOverloaded, UnsearchedReason::kDeadline}, "0:overloaded "},
        {{UnsearchedReason::kDeadline, UnsearchedReason::kUnavailable}, "0:unavailable "},
        {{UnsearchedReason::kCorrupt, UnsearchedReason::kDeadline}, "0:corrupt "}}) {
    page.reset();
    start();
    leaf(0).searches.answer(found({{0, 9}, {1, 8}, {3, 7}}));
    leaf(2).searches.answer(found({}));
    auto reply = documents(leaf(0).fetches.last());
    for (std::size_t i : {0, 2}) reply.documents[i].found = false;
    reply.documents[0].reason = reasons.first;
    reply.documents[2].reason = reasons.second;
    leaf(0).fetches.answer(reply);
    ASSERT_TRUE(page);
    EXPECT_EQ(ids(), "d1 ");
    EXPECT_EQ(unsearched(), wanted);
  }
}
TEST_F(ASearch, AsksAnotherReplicaForWhatALeafCouldNotReadButNotForWhatWasLate) {
  start();
  leaf(0).searches.answer(found({{0, 9}, {1, 8}}));
  leaf(2).searches.answer(found({}));
  auto reply = documents(leaf(0).fetches.last());
  for (auto& document : reply.documents) document.found = false;
  reply.documents[0].reason = wire::UnsearchedReason::kDeadline;
  reply.documents[1].reason = wire::UnsearchedReason::kOverloaded;
  leaf(0).fetches.answer(reply);
  EXPECT_EQ(leaf(1).fetches.last().ordinals, std::vector<Ordinal>{1});
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 ");
  EXPECT_EQ(unsearched(), "0:deadline ");
}
TEST_F(ASearch, EndsAtItsDeadlineWhenTitlesAreLate) {
  no_replica();
  start(milliseconds(1000));
  leaf(0).searches.answer(found({{0, 9}}));
  leaf(2).searches.answer(found({}));
  cluster.advance(milliseconds(1000));
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "");
  EXPECT_EQ(unsearched(), "0:deadline ");
}
}  // namespace
}  // namespace frond::broker::scatter
