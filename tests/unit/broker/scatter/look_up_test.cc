// A document by its id: which leaves are asked, and what is known when some do not answer.
#include "broker/scatter/fetch.h"

#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {
using std::chrono::milliseconds;

class ALookUp : public ASearch {
 protected:
  void begin(milliseconds time = milliseconds(1000)) {
    running = look_up(context, cluster.map.topology(), "a/b", 5000, Deadline::after(cluster.clock, time),
                      [this](LookUpResult done) {
                        ASSERT_FALSE(result) << "once";
                        result = std::move(done);
                      });
  }
  // The leaf has the document, or not.
  void answer(std::size_t number, bool has) {
    wire::FetchReply reply;
    if (has) reply.documents.push_back({.found = true, .id = "a/b", .title = "T", .body = "text"});
    leaf(number).fetches.answer(std::move(reply));
  }
  // The leaf of partitions 0 and 1 that was asked.
  std::size_t first() { return leaf(0).fetches.open() > 0 ? 0 : 1; }
  std::string missing() const {
    std::string out;
    for (const auto& one : result->unsearched)
      out += std::to_string(one.partition) + ":" + std::string(name_of(one.reason)) + " ";
    return out;
  }

  std::optional<LookUpResult> result;
};

TEST_F(ALookUp, AsksOneLeafForEachPartitionAndEndsWithTheFirstThatHasIt) {
  begin();
  EXPECT_EQ(leaf(0).fetches.open() + leaf(1).fetches.open(), 1u);
  EXPECT_EQ(leaf(2).fetches.last().id, "a/b");
  EXPECT_EQ(leaf(2).fetches.last().body_bytes, 5000u);
  EXPECT_TRUE(leaf(2).fetches.last().ordinals.empty());
  answer(2, true);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->document->body, "text");
  EXPECT_EQ(leaf(0).fetches.open() + leaf(1).fetches.open(), 0u) << "the others are cancelled";
}
TEST_F(ALookUp, KnowsThatThereIsNoneWhenAllHaveAnswered) {
  begin();
  answer(2, false);
  EXPECT_FALSE(result);
  answer(first(), false);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->document);
  EXPECT_EQ(missing(), "");
}
TEST_F(ALookUp, TakesNoDocumentOfAnotherId) {
  begin();
  wire::FetchReply reply;
  reply.documents.push_back({.found = true, .id = "other"});
  leaf(2).fetches.answer(reply);
  answer(first(), false);
  EXPECT_FALSE(result->document);
}
TEST_F(ALookUp, AsksAnotherReplicaOnceAndNamesThePartitionsThatMayHaveIt) {
  begin();
  answer(2, false);
  const std::size_t asked = first();
  leaf(asked).fetches.answer(Error(Code::kOverloaded, "full"));
  EXPECT_EQ(first(), 1 - asked);
  leaf(1 - asked).fetches.answer(Error(Code::kOverloaded, "full"));
  ASSERT_TRUE(result);
  EXPECT_EQ(missing(), "0:overloaded 1:overloaded ");
}
TEST_F(ALookUp, NamesPartitionsWithoutALeafAndThoseThatAreLate) {
  cluster.map.report_unavailable(cluster.map.leaves()[2], "down");
  begin();
  EXPECT_FALSE(result);
  cluster.advance(milliseconds(1000));
  ASSERT_TRUE(result);
  EXPECT_EQ(missing(), "0:deadline 1:deadline 2:unavailable ");
}
TEST_F(ALookUp, DoesNotAskLeavesThatFindNoIds) {
  auto old = support::hello({support::served(1, 3, {0, 1})});
  old.features &= ~wire::kFeatureById;
  cluster.advance(milliseconds(500));
  leaf(0).hellos.answer(old);
  begin();
  EXPECT_EQ(leaf(0).fetches.open(), 0u);
  EXPECT_EQ(leaf(1).fetches.open(), 1u);
}
TEST_F(ALookUp, IsHedgedAndTakesTheFirstAnswer) {
  begin();
  answer(2, false);
  const std::size_t asked = first();
  cluster.advance(milliseconds(250));
  ASSERT_EQ(leaf(1 - asked).fetches.open(), 1u);
  EXPECT_EQ(leaf(1 - asked).fetches.last().id, "a/b");
  answer(1 - asked, true);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->document);
  EXPECT_EQ(leaf(asked).cancelled, 1u);
  EXPECT_TRUE(cluster.map.leaves()[asked]->silent);
}
TEST_F(ALookUp, IsGivenUpWithoutAnAnswer) {
  begin();
  running->abandon();
  EXPECT_EQ(leaf(0).fetches.open() + leaf(1).fetches.open() + leaf(2).fetches.open(), 0u);
  cluster.advance(milliseconds(2000));
  EXPECT_FALSE(result);
}
}  // namespace
}  // namespace frond::broker::scatter
