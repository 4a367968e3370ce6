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

TEST_F(ASearch, AsksNoLeafForDocumentsThatHasOnlyAPartOfTheGeneration) {
  start();
  EXPECT_EQ(leaf(0).searches.last().show.count, 0u);
  EXPECT_EQ(leaf(2).searches.last().show.count, 0u);
}

}  // namespace
}  // namespace frond::broker::scatter
