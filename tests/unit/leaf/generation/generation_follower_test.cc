// The promises of generation_follower.h: which generations are served, and how long.
#include "leaf/generation/generation_follower.h"

#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

TEST_F(GenerationFollowerTest, ServesNothingWhereNothingIsPublishedAndSaysSo) {
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
  EXPECT_FALSE(leaf.board.detail().empty());
  publish(10);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_TRUE(leaf.board.detail().empty());
}

TEST_F(GenerationFollowerTest, CountsLooksAtARepositoryThatFail) {
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_repository_failures_total 0"), std::string::npos)
      << "nothing is published, which is no failure";
  publish(10);
  std::ofstream(folder_ / "repository" / "c" / "CURRENT") << "what\n";
  leaf.follower.step();
  leaf.follower.step();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_repository_failures_total 2"), std::string::npos);
}

TEST_F(GenerationFollowerTest, TakesAGenerationThatItIsToldOfAndTellsOfIt) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.changes, 1);
  leaf.follower.look();
  EXPECT_EQ(leaf.changes, 1);
  publish(20);
  leaf.follower.look();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  EXPECT_EQ(leaf.changes, 2);
}

TEST_F(GenerationFollowerTest, KeepsTheOldGenerationUntilItWasLeftForTheGraceTime) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  leaf.hello_from(1, 2, clock_.now());
  clock_.advance(seconds(29));
  EXPECT_NE(leaf.board.find({1}, clock_.now()), nullptr);  // a search was under way
  clock_.advance(seconds(29));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  EXPECT_EQ(count("partitions"), 4u);
  clock_.advance(seconds(1));
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(count("partitions"), 2u);
  EXPECT_EQ(count("generations", ".sst"), 1u);
}

TEST_F(GenerationFollowerTest, KeepsTheOldGenerationWhileABrokerServesFromIt) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  for (int minute = 0; minute < 30; ++minute) {  // another shard is late; all queries are in brokers' caches
    leaf.hello_from(1, 1, clock_.now());
    leaf.hello_from(2, 2, clock_.now());
    leaf.follower.step();
    ASSERT_EQ(leaf.serving(), (Numbers{1, 2})) << "minute " << minute;
    clock_.advance(seconds(60));
  }
  EXPECT_NE(leaf.board.detail().find("generation 1"), std::string::npos) << leaf.board.detail();
  EXPECT_NE(leaf.board.detail().find("broker-1:1"), std::string::npos) << leaf.board.detail();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_superseded_seconds 1740"), std::string::npos);
  leaf.hello_from(1, 2, clock_.now());
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(leaf.board.detail(), "");
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_superseded_seconds 0"), std::string::npos);
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_brokers 2"), std::string::npos);
}

TEST_F(GenerationFollowerTest, KeepsTheOldGenerationForALimitedTime) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  clock_.advance(seconds(3600));
  leaf.hello_from(1, 1, clock_.now());
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  clock_.advance(seconds(1));
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{2});
}

TEST_F(GenerationFollowerTest, DeletesNothingThatAQueryHolds) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  leaf.hello_from(1, 2, clock_.now());
  auto held = leaf.board.find({1}, clock_.now());
  clock_.advance(seconds(31));
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(count("partitions"), 4u);
  EXPECT_TRUE(held->partitions[0].open->partition().document(0));
  held.reset();
  leaf.follower.step();
  EXPECT_EQ(count("partitions"), 2u);
}

// Another repository under the same name: it begins with number 1 again.
TEST_F(GenerationFollowerTest, TakesWhatIsPublishedUnderANumberThatItHasServed) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  const GenerationId before = leaf.board.get()->back()->id();
  EXPECT_NE(before.content, 0u);
  fs::remove_all(folder_ / "repository");
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  publish(11, 2, "-anew");
  clock_.advance(seconds(1));
  leaf.follower.step();
  const GenerationId after = leaf.board.get()->back()->id();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 1}));
  EXPECT_EQ(after.number, 1u);
  EXPECT_NE(after.content, before.content);
  EXPECT_EQ(leaf.board.find(before, clock_.now())->statistics.documents, 10u);
  EXPECT_EQ(leaf.board.find(after, clock_.now())->statistics.documents, 11u);
  EXPECT_EQ(leaf.board.find({1}, clock_.now())->statistics.documents, 11u)
      << "who does not say which gets the current one";
  EXPECT_EQ(leaf.board.find({1, 77}, clock_.now()), nullptr);
  EXPECT_EQ(count("generations", ".sst"), 2u) << "of each its own file";
  leaf.brokers.heard({1, "b", after, seconds(60)}, {}, clock_.now());
  clock_.advance(seconds(31));
  let_leave(leaf);
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_EQ(count("generations", ".sst"), 1u);
  EXPECT_EQ(count("partitions"), 2u);
  const std::string terms = leaf.board.get()->back()->files.at(0);
  EXPECT_TRUE(fs::exists(leaf.data->generation_file(terms))) << "not the other's was removed";
  EXPECT_EQ(count("generations", ".json"), 1u);
}

TEST_F(GenerationFollowerTest, TellsTheSameContentOfACopyOfTheRepository) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  fs::copy(folder_ / "repository", folder_ / "copy", fs::copy_options::recursive);
  fs::remove_all(folder_ / "repository");
  fs::rename(folder_ / "copy", folder_ / "repository");
  const fs::path manifest = folder_ / "repository/c/generations/1.json";
  support::write_file(manifest, support::read_file(manifest) + "\n\n");  // white space is free
  clock_.advance(seconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_EQ(leaf.board.detail(), "");
}

TEST_F(GenerationFollowerTest, ServesABoundedNumberOfGenerations) {
  Leaf leaf(folder_.path(), clock_);
  for (std::uint32_t i = 1; i <= 11; ++i) {
    publish(5 + i, 1);
    leaf.follower.step();
  }
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(GenerationFollowerTest, LetsGoFirstOfWhatNoBrokerServesFrom) {
  Leaf leaf(folder_.path(), clock_);
  for (std::uint32_t i = 1; i <= 11; ++i) {
    publish(5 + i, 1);
    leaf.follower.step();
    leaf.hello_from(1, 1, clock_.now());
  }
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(GenerationFollowerTest, RefusesADataFolderThatAnotherLeafUses) {
  Leaf leaf(folder_.path(), clock_);
  EXPECT_EQ(DataFolder::open(folder_ / "data"), Code::kUnavailable);
}

TEST_F(GenerationFollowerTest, FollowsOnItsOwnThreadAndStops) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.start();
  while (leaf.serving().empty()) std::this_thread::yield();
  EXPECT_TRUE(leaf.follower.stop(seconds(60)));
}

}  // namespace
}  // namespace frond::leaf::generation
