// CURRENT goes back, also to a generation that leaves or has just left.
#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RollbackTest : public GenerationFollowerTest {
 protected:
  void switch_to(Generation number) {
    const auto writer = repository::RepositoryWriter::open(folder_ / "repository", "c");
    ASSERT_TRUE((*writer)->switch_to(number));
  }
  // Generation 1 is superseded by 2, from which a broker serves, and leaves.
  void begin(Leaf& leaf) {
    publish(10);
    leaf.follower.step();
    publish(20);
    leaf.follower.step();
    clock_.advance(seconds(30));
    leaf.hello_from(1, 2, clock_.now());
    leaf.follower.step();
    ASSERT_EQ(leaf.listed(), Numbers{2});
    ASSERT_EQ(leaf.serving(), (Numbers{1, 2}));
  }
};

TEST_F(RollbackTest, DeletesWhatWasBegunOfAGenerationThatWasRefused) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  leaf.follower.step();  // what an earlier process left has been looked for
  publish(20);
  support::flip_byte(published_file("g2-p1"), 40);
  leaf.follower.step();
  ASSERT_EQ(leaf.serving(), Numbers{1});
  ASSERT_GT(count("partitions") + count("fetching"), 2u);
  switch_to(1);
  clock_.advance(seconds(60));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_EQ(count("partitions") + count("fetching"), 2u);
}

TEST_F(RollbackTest, IsFollowed) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  switch_to(1);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{2, 1}));  // the current one is last
  clock_.advance(seconds(31));
  leaf.hello_from(1, 1, clock_.now());
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{1});
}

// A broker may turn to it until it hears that.
TEST_F(RollbackTest, WhatLeavesIsNotListedAndAnswersOn) {
  Leaf leaf(folder_.path(), clock_);
  begin(leaf);
  EXPECT_EQ(leaf.changes, 3) << "brokers are told at once";
  clock_.advance(kLeaving - milliseconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  clock_.advance(milliseconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(leaf.changes, 3);
}

TEST_F(RollbackTest, WhatLeavesStaysWhereABrokerHasTurnedToIt) {
  Leaf leaf(folder_.path(), clock_);
  begin(leaf);
  ASSERT_NE(leaf.board.find({1}, clock_.now()), nullptr);
  let_leave(leaf);
  EXPECT_EQ(leaf.listed(), (Numbers{1, 2})) << "a search named it";
  clock_.advance(seconds(26));
  leaf.hello_from(1, 1, clock_.now());
  let_leave(leaf);
  EXPECT_EQ(leaf.listed(), (Numbers{1, 2})) << "a broker serves from it";
}

TEST_F(RollbackTest, WhatLeavesIsTakenAgainWithoutLoading) {
  Leaf leaf(folder_.path(), clock_);
  begin(leaf);
  const auto first = leaf.board.get()->front();
  switch_to(1);
  clock_.advance(seconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{2, 1}));
  EXPECT_EQ(leaf.board.get()->back(), first);
  switch_to(2);  // and the other way: no broker has left it
  clock_.advance(seconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{1, 2}));
  clock_.advance(seconds(30));
  leaf.hello_from(1, 2, clock_.now());
  let_leave(leaf);
  EXPECT_EQ(leaf.listed(), Numbers{2});
}

TEST_F(RollbackTest, WhatHasLeftIsFetchedAnew) {
  Leaf leaf(folder_.path(), clock_);
  begin(leaf);
  let_leave(leaf);
  ASSERT_EQ(count("partitions"), 2u);
  switch_to(1);
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{2, 1})) << leaf.board.detail();
  EXPECT_EQ(count("partitions"), 4u);
}

TEST_F(RollbackTest, WhileTheNextIsWarmedComesAfterIt) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  const auto first = leaf.board.get()->front();
  publish(20);
  leaf.warming = [&] { switch_to(1); };
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{1, 2}));
  leaf.warming = nullptr;
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{2, 1}));
  EXPECT_EQ(leaf.board.get()->back(), first);
}

TEST_F(RollbackTest, WhileTheNextCanNotBeFetchedEndsThat) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  support::flip_byte(published_file("g2-p1"), 40);
  leaf.follower.step();
  ASSERT_NE(leaf.board.detail(), "");
  auto writer = repository::RepositoryWriter::open(folder_ / "repository", "c");
  ASSERT_EQ((*writer)->rollback(), Generation{1});
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), Numbers{1});
  EXPECT_EQ(leaf.board.detail(), "");
}

TEST_F(RollbackTest, AndTheNextPublicationMayComeTogether) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  switch_to(1);
  publish(30);
  leaf.follower.step();
  EXPECT_EQ(leaf.listed(), (Numbers{1, 2, 3}));
  clock_.advance(seconds(31));
  leaf.hello_from(1, 3, clock_.now());
  let_leave(leaf);
  EXPECT_EQ(leaf.listed(), Numbers{3});
}

// Otherwise swaps in quick succession would fill the disk.
TEST_F(RollbackTest, TooManyDoNotStayToLeave) {
  Leaf leaf(folder_.path(), clock_);
  begin(leaf);
  for (std::uint32_t i = 0; i < kMaxServedGenerations; ++i) {
    publish(30 + i, 1);
    leaf.follower.step();
  }
  leaf.follower.step();
  EXPECT_EQ(leaf.serving().size(), kMaxServedGenerations);
  EXPECT_EQ(leaf.listed(), leaf.serving());
}

}  // namespace
}  // namespace frond::leaf::generation
