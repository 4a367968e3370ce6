// What a follower begins with: the data folder of an earlier leaf.
#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

TEST_F(GenerationFollowerTest, UsesAgainWhatItHasAfterARestart) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::remove_all(folder_ / "repository/c/partitions");  // can't be fetched again
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
}

// What was begun and is not wanted any more, though the collection does not change.
TEST_F(GenerationFollowerTest, DeletesWhatAnEarlierLeafLeftWhereNothingIsNew) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::create_directories(folder_ / "data/partitions/g7-p0");
  fs::create_directories(folder_ / "data/fetching/g7-p1");
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  EXPECT_EQ(count("partitions"), 2u);
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, DeletesPartitionsThatAreNotOfItsShardAnyMore) {
  publish(10, 4);
  { Leaf(folder_.path(), clock_).follower.step(); }
  EXPECT_EQ(count("partitions"), 4u);
  publish(20, 4);
  fs::create_directories(folder_ / "data/partitions/g2-p0");  // begun before the shard was another one
  fs::create_directories(folder_ / "data/fetching/g2-p2");
  Leaf leaf(folder_.path(), clock_, 0, {1, 2});
  leaf.follower.step();
  let_leave(leaf);
  EXPECT_EQ(leaf.serving().back(), 2u) << leaf.board.detail();
  EXPECT_FALSE(fs::exists(folder_ / "data/partitions/g2-p0"));
  EXPECT_EQ(count("fetching"), 0u);
}

constexpr std::uint64_t kAllOfTheDisk = std::uint64_t{1} << 60;  // so much is to stay free that nothing may be fetched

// What a leaf of before 2026-11-30 left: a database of RocksDB's.
void make_a_database_of(const fs::path& partition) {
  std::vector<fs::path> tables;
  for (const auto& entry : fs::directory_iterator(partition))
    if (entry.path().extension() == ".sst") tables.push_back(entry.path());
  ASSERT_GT(tables.size(), 3u);
  for (std::size_t i = 0; i < tables.size(); ++i)
    fs::rename(tables[i], partition / ("00000" + std::to_string(i) + ".sst"));
  fs::remove(partition / "FILES");
  support::write_file(partition / "COMPLETE", "frond partition, format 1\n");
  support::write_file(partition / "CURRENT", "MANIFEST-000005\n");
}

TEST_F(GenerationFollowerTest, TakesOverTheDatabasesOfAnEarlierVersionWhileTheRepositoryIsAway) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  for (const char* id : {"g1-p0", "g1-p1"}) make_a_database_of(folder_ / "data/partitions" / id);
  fs::rename(folder_ / "repository", folder_ / "away");
  Leaf leaf(folder_.path(), clock_, kAllOfTheDisk);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  for (const char* id : {"g1-p0", "g1-p1"}) {
    EXPECT_TRUE(fs::exists(folder_ / "data/partitions" / id / "FILES"));
    EXPECT_FALSE(fs::exists(folder_ / "data/partitions" / id / "COMPLETE"));
    EXPECT_EQ(fs::file_size(folder_ / "data/partitions" / id / "ids-0001.sst"),
              fs::file_size(folder_ / "away/c/partitions" / id / "ids-0001.sst"));
  }
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, FetchesWhatIsRottenOfADatabaseOfAnEarlierVersionAndNoMore) {
  publish(10, 1);
  { Leaf(folder_.path(), clock_).follower.step(); }
  const fs::path partition = folder_ / "data/partitions/g1-p0", published = folder_ / "repository/c/partitions/g1-p0";
  support::flip_byte(partition / "ids-0001.sst", 10);
  make_a_database_of(partition);
  for (const auto& entry : fs::directory_iterator(published))
    if (entry.path().filename() != "ids-0001.sst") fs::remove(entry.path());
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
}

TEST_F(GenerationFollowerTest, LosesNothingByALostListOfFiles) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::remove(folder_ / "data/partitions/g1-p0/FILES");
  fs::rename(folder_ / "repository", folder_ / "away");
  Leaf leaf(folder_.path(), clock_, kAllOfTheDisk);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  EXPECT_TRUE(fs::exists(folder_ / "data/partitions/g1-p0/FILES"));
}

// As a crash or a full disk leaves it: some files were moved into the partition's folder, the others were not.
TEST_F(GenerationFollowerTest, GoesOnWhereAnIngestEndedInItsMiddle) {
  for (const bool crashed : {true, false}) {
    fs::remove_all(folder_ / "data");
    fs::remove_all(folder_ / "repository");
    publish(10, 1);
    const fs::path partition = folder_ / "data/partitions/g1-p0", fetching = folder_ / "data/fetching/g1-p0";
    const auto end_it = [&] {
      fs::create_directories(fetching);
      fs::remove(partition / "FILES");
      for (const char* name : {"ids-0001.sst", "terms-0001.sst"}) fs::rename(partition / name, fetching / name);
      fs::rename(folder_ / "repository", folder_ / "away");
    };
    auto leaf = std::make_unique<Leaf>(folder_.path(), clock_);
    leaf->follower.step();
    ASSERT_EQ(leaf->serving(), Numbers{1}) << leaf->board.detail();
    end_it();
    if (crashed) {
      leaf.reset();
      leaf = std::make_unique<Leaf>(folder_.path(), clock_, kAllOfTheDisk);
      leaf->follower.step();
    } else {  // a mend ended so
      leaf->follower.damaged({leaf->board.get()->back()->partitions[0].open->number(), "g1-p0", "ids-0001.sst", "",
                              Error(Code::kCorrupt, "ids-0001.sst")});
      leaf->follower.step();
    }
    ASSERT_EQ(leaf->serving(), Numbers{1}) << leaf->board.detail();
    EXPECT_TRUE(leaf->board.get()->back()->partitions[0].open->intact()) << crashed;
    EXPECT_TRUE(fs::exists(partition / "FILES"));
    EXPECT_FALSE(fs::exists(fetching));
    leaf.reset();
    fs::remove_all(folder_ / "away");
  }
}

TEST_F(GenerationFollowerTest, FetchesARottenFileAndNoMoreAfterACrashWhileItWasMended) {
  publish(10, 1);
  { Leaf(folder_.path(), clock_).follower.step(); }
  const fs::path partition = folder_ / "data/partitions/g1-p0", published = folder_ / "repository/c/partitions/g1-p0";
  fs::remove(partition / "FILES");
  support::flip_byte(partition / "ids-0001.sst", 10);
  for (const auto& entry : fs::directory_iterator(published))
    if (entry.path().filename() != "ids-0001.sst") fs::remove(entry.path());
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
}

TEST_F(GenerationFollowerTest, BeginsWithWhatWasServedLastWhileTheRepositoryIsAway) {
  publish(10);
  publish(20);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::rename(folder_ / "repository", folder_ / "away");
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_FALSE(leaf.board.detail().empty()) << "says that the repository can't be read";
  fs::rename(folder_ / "away", folder_ / "repository");
  publish(30);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{2, 3}));
  EXPECT_TRUE(leaf.board.detail().empty());
}

TEST_F(GenerationFollowerTest, BeginsWithWhatWasServedLastWhileABadGenerationIsCurrent) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  publish(20);
  support::flip_byte(published_file("g2-p1"), 40);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_NE(leaf.board.detail().find("generation 2"), std::string::npos);
}

TEST_F(GenerationFollowerTest, BeginsWithOldContentAndTakesTheNewUnderItsNumber) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::remove_all(folder_ / "repository");
  publish(11, 2, "-anew");
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 1}));
  EXPECT_EQ(leaf.board.get()->back()->statistics.documents, 11u);
}

// Whoever restarts leaves while a shard is late must not take the old generation from the brokers.
TEST_F(GenerationFollowerTest, BeginsWithSupersededGenerationsToo) {
  publish(10);
  Numbers both = {1, 2};
  {
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    publish(20);
    leaf.follower.step();
    ASSERT_EQ(leaf.serving(), both);
  }
  for (const bool repository_away : {true, false}) {
    if (repository_away) fs::rename(folder_ / "repository", folder_ / "away");
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    EXPECT_EQ(leaf.serving(), both);
    if (repository_away) fs::rename(folder_ / "away", folder_ / "repository");
  }
  {
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    leaf.hello_from(1, 1, clock_.now());
    clock_.advance(seconds(60));
    leaf.follower.step();
    EXPECT_EQ(leaf.serving(), both);
    leaf.hello_from(1, 2, clock_.now());
    let_leave(leaf);
    EXPECT_EQ(leaf.serving(), Numbers{2});
  }
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(count("partitions"), 2u);
}

TEST_F(GenerationFollowerTest, GoesOnWithWhatAnEarlierLeafHadBegunToFetch) {
  publish(10);
  {
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    publish(20);
    support::flip_byte(published_file("g2-p1"), 40);
    leaf.follower.step();
    ASSERT_EQ(leaf.serving(), Numbers{1});
  }
  ASSERT_TRUE(fs::exists(folder_ / "data/partitions/g2-p0"));
  fs::remove_all(folder_ / "repository/c/partitions/g2-p0");  // can't be fetched again
  support::flip_byte(published_file("g2-p1"), 40);            // mended
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2})) << leaf.board.detail();
}

TEST_F(GenerationFollowerTest, FetchesAnewWhatItsDiskHasSpoilt) {
  publish(200, 1);
  { Leaf(folder_.path(), clock_).follower.step(); }
  std::size_t spoilt = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "data/partitions/g1-p0")) {
    if (entry.path().extension() != ".sst") continue;
    support::flip_byte(entry.path(), 10);
    ++spoilt;
  }
  ASSERT_GT(spoilt, 0u);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
}

TEST_F(GenerationFollowerTest, RemovesWhatAnEarlierLeafLeftBehind) {
  publish(10);
  fs::create_directories(folder_ / "data/partitions/g0-p0");
  fs::create_directories(folder_ / "data/fetching/g1-p0");
  support::write_file(folder_ / "data/fetching/g1-p0/half.sst", "half");
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_EQ(count("partitions"), 2u);
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, DoesNotBeginWithWhatIsNotItsOwn) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::rename(folder_ / "repository", folder_ / "away");
  const fs::path served = folder_ / "data/SERVED";
  fs::path kept;
  for (const auto& entry : fs::directory_iterator(folder_ / "data/generations"))
    if (entry.path().extension() == ".json") kept = entry.path();
  support::write_file(kept, "garbage");
  for (const char* bad : {"", "{}", "garbage"}) {
    support::write_file(served, bad);
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    EXPECT_TRUE(leaf.serving().empty()) << bad;
  }
  auto other = *(*repository::RepositorySource::open((folder_ / "away").string(), "c"))->manifest(1);
  other.collection = "another";
  support::write_file(served, repository::to_json(other));
  support::write_file(kept, repository::to_json(other));
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
}

}  // namespace
}  // namespace frond::leaf::generation
