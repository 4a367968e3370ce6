// Documents that come with the search's reply: one leaf has all partitions.
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using support::documents;
using support::found;

class ASearchOfOneLeaf : public ASearch {
 protected:
  // Leaves 1 and 2 are down; leaf 0 comes back with all partitions.
  ASearchOfOneLeaf() {
    for (std::size_t i : {1, 2}) cluster.map.report_unavailable(cluster.map.leaves()[i], "down");
    cluster.map.refresh(cluster.map.leaves()[0]);
    cluster.advance(std::chrono::milliseconds(0));
    while (leaf(0).hellos.open() > 0) leaf(0).hellos.answer(support::hello({support::served(1, 3, {0, 1, 2})}));
  }
  wire::SearchReply shown() {
    wire::SearchReply reply = found({{0, 9}, {1, 8}, {2, 7}});
    wire::FetchRequest asked;
    asked.ordinals = {0, 1, 2};
    reply.documents = documents(asked).documents;
    return reply;
  }
};

TEST_F(ASearchOfOneLeaf, AsksForThePageAndFetchesNothing) {
  start(std::chrono::milliseconds(1000), 7, 3);
  EXPECT_EQ(leaf(0).searches.last().show.offset, 3u);
  EXPECT_EQ(leaf(0).searches.last().show.count, 7u);
  leaf(0).searches.answer(found({}));
  ASSERT_TRUE(page);

  page.reset();
  start();
  leaf(0).searches.answer(shown());
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d1 d2 ");
  EXPECT_EQ(page->hits[1].title, "title of d1");
  EXPECT_TRUE(page->whole());
  EXPECT_EQ(leaf(0).fetches.asked.size(), 0u);
}

TEST_F(ASearchOfOneLeaf, FetchesWhatDidNotComeOrIsNotThePage) {
  std::vector<wire::SearchReply> replies(4, shown());
  replies[0].documents.clear();
  replies[1].documents[1].found = false;
  std::swap(replies[2].documents[0], replies[2].documents[1]);
  replies[3].documents.pop_back();
  for (const auto& reply : replies) {
    page.reset();
    start();
    leaf(0).searches.answer(reply);
    EXPECT_FALSE(page);
    EXPECT_EQ(leaf(0).fetches.open(), 1u);
    fetch_all();
    ASSERT_TRUE(page);
    EXPECT_EQ(ids(), "d0 d1 d2 ");
  }
}

// Three leaves, of which no two have the same partition: leaf 1 is down.
class ASearchOfSeveralLeaves : public ASearch {
 protected:
  ASearchOfSeveralLeaves() {
    no_replica();
    fields = wire::kFieldTitle | wire::kFieldUrl;
  }
  // The hits, with the documents of the first `shown`.
  static wire::SearchReply with_documents(std::vector<topk::Hit> hits, std::size_t shown) {
    wire::FetchRequest asked;
    for (std::size_t i = 0; i < shown; ++i) asked.ordinals.push_back(hits[i].ordinal);
    wire::SearchReply reply = found(std::move(hits));
    reply.documents = documents(asked).documents;
    return reply;
  }
};

TEST_F(ASearchOfSeveralLeaves, AsksEachForTheDocumentsThatAreProbablyOnThePage) {
  start(std::chrono::milliseconds(1000), 100);
  EXPECT_EQ(leaf(0).searches.last().show.count, 77u);  // 66.7 + 2 * 4.7 of two thirds of the partitions
  EXPECT_EQ(leaf(2).searches.last().show.count, 43u);
}

TEST_F(ASearchOfSeveralLeaves, FetchesNothingThatCameWithTheRankings) {
  start(std::chrono::milliseconds(1000), 3);
  leaf(0).searches.answer(with_documents({{0, 9}, {3, 7}, {1, 5}}, 2));
  leaf(2).searches.answer(with_documents({{2, 8}, {5, 4}}, 2));
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d2 d3 ");
  EXPECT_EQ(page->hits[1].title, "title of d2");
  EXPECT_EQ(leaf(0).fetches.asked.size() + leaf(2).fetches.asked.size(), 0u);
}

TEST_F(ASearchOfSeveralLeaves, FetchesOnlyWhatDidNotCome) {
  start(std::chrono::milliseconds(1000), 4);
  wire::SearchReply reply = with_documents({{0, 9}, {3, 7}, {1, 6}}, 3);
  reply.documents[1].found = false;
  leaf(0).searches.answer(reply);
  leaf(2).searches.answer(with_documents({{2, 8}, {5, 4}}, 2));
  ASSERT_FALSE(page);
  EXPECT_EQ(leaf(0).fetches.last().ordinals, std::vector<Ordinal>{3});
  EXPECT_EQ(leaf(2).fetches.asked.size(), 0u);
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d0 d2 d3 d1 ");
}

TEST_F(ASearchOfSeveralLeaves, TakesNoDocumentFromALeafThatDidNotFindIt) {
  start(std::chrono::milliseconds(1000), 2);
  leaf(0).searches.answer(found({{0, 9}}));
  wire::SearchReply reply = with_documents({{2, 8}}, 1);
  reply.documents.push_back(reply.documents[0]);
  reply.documents[1].ordinal = 0;
  leaf(2).searches.answer(reply);
  EXPECT_EQ(leaf(0).fetches.last().ordinals, std::vector<Ordinal>{0});
}

TEST_F(ASearchOfSeveralLeaves, LearnsHowManyDocumentsArePagesOfOneLeaf) {
  for (int i = 0; i < 40; ++i) {
    page.reset();
    start(std::chrono::milliseconds(1000), 10);
    std::vector<topk::Hit> hits;
    for (Ordinal one = 0; one < 10; ++one) hits.push_back({3 * one, 100 - static_cast<scoring::Score>(one)});
    leaf(0).searches.answer(with_documents(hits, leaf(0).searches.last().show.count));
    leaf(2).searches.answer(found({}));
    fetch_all();
    ASSERT_TRUE(page);
    EXPECT_EQ(page->hits.size(), 10u);
  }
  EXPECT_EQ(leaf(0).searches.last().show.count, 10u);
  EXPECT_LT(leaf(0).fetches.asked.size(), 5u);
}

TEST_F(ASearchOfSeveralLeaves, AsksWithTheRankingForNothingThatIsDearToRead) {
  fields = wire::kAllFields;  // snippets
  start();
  EXPECT_EQ(leaf(0).searches.last().show.count, 0u);
  fields = 0;
  start(std::chrono::milliseconds(1000), 10, 10);  // a later page
  EXPECT_EQ(leaf(2).searches.last().show.count, 0u);
  explain = true;
  start();
  EXPECT_EQ(leaf(2).searches.last().show.count, 0u);
}

}  // namespace
}  // namespace frond::broker::scatter
