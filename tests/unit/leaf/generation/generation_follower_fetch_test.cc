// How the follower fetches generations: bad ones, interrupted and damaged files, room on the disk.
#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

TEST_F(GenerationFollowerTest, RefusesABadGenerationAndServesTheOldOneOn) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  const fs::path file = published_file("g2-p1");
  support::flip_byte(file, 40);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_NE(leaf.board.detail().find("generation 2"), std::string::npos);
  EXPECT_NE(leaf.board.detail().find(file.filename().string()), std::string::npos) << leaf.board.detail();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_generation_refused_total 1"), std::string::npos);

  leaf.follower.step();  // too early for another attempt
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_generation_refused_total 1"), std::string::npos);
  clock_.advance(seconds(1));
  leaf.follower.step();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_generation_refused_total 2"), std::string::npos);
  clock_.advance(seconds(1));
  leaf.follower.step();  // the pause has doubled
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_generation_refused_total 2"), std::string::npos);
  support::flip_byte(file, 40);  // mended
  clock_.advance(seconds(1));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 2}));
  EXPECT_TRUE(leaf.board.detail().empty());
}

TEST_F(GenerationFollowerTest, LoadsSeveralPartitionsAtATimeAndNamesTheOneThatIsBad) {
  publish(200, 7);
  Leaf leaf(folder_.path(), clock_);
  leaf.loader.set_threads(4);
  const fs::path file = published_file("g1-p3");
  support::flip_byte(file, 40);
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
  EXPECT_NE(leaf.board.detail().find(file.filename().string()), std::string::npos) << leaf.board.detail();
  EXPECT_NE(leaf.board.detail().find("g1-p3"), std::string::npos) << leaf.board.detail();
  support::flip_byte(file, 40);
  clock_.advance(seconds(2));
  leaf.follower.step();
  ASSERT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  const auto& partitions = leaf.board.get()->back()->partitions;
  ASSERT_EQ(partitions.size(), 7u);
  for (std::uint32_t p = 0; p < partitions.size(); ++p) {
    EXPECT_EQ(partitions[p].number, p);
    EXPECT_EQ(partitions[p].open->id(), "g1-p" + std::to_string(p));
  }
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, FetchesNothingOfAPartitionWithAFileOfNoTable) {
  publish(10);
  auto manifest = *(*repository::RepositorySource::open((folder_ / "repository").string(), "c"))->manifest(1);
  manifest.partitions[1].summary.files[0].name = "ix-0001.sst";
  support::write_file(folder_ / "repository/c" / repository::manifest_path(1), repository::to_json(manifest));
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
  EXPECT_NE(leaf.board.detail().find("partition g1-p1: file 'ix-0001.sst' belongs to no table"), std::string::npos)
      << leaf.board.detail();
  EXPECT_EQ(count("fetching"), 0u);
  EXPECT_EQ(count("partitions"), 0u);
}

TEST_F(GenerationFollowerTest, KeepsWhatItFetchedOfAPartitionForTheNextAttempt) {
  publish(10, 1);
  const fs::path file = published_file("g1-p0"), away = folder_ / "away.sst";
  fs::rename(file, away);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
  fs::rename(away, file);
  std::size_t gone = 0;  // what came before the attempt ended need not come again
  for (const auto& fetched : fs::directory_iterator(folder_ / "data/fetching/g1-p0"))
    if (fetched.path().extension() == ".sst") gone += fs::remove(file.parent_path() / fetched.path().filename());
  EXPECT_GT(gone, 0u);
  clock_.advance(seconds(2));
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, FetchesAnewWhatWasSpoiltWhileItWasKept) {
  publish(10, 1);
  const fs::path file = published_file("g1-p0"), away = folder_ / "away.sst";
  fs::rename(file, away);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  fs::rename(away, file);
  for (const auto& fetched : fs::directory_iterator(folder_ / "data/fetching/g1-p0"))
    if (fetched.path().extension() == ".sst") support::flip_byte(fetched.path(), 40);
  for (int attempt = 0; attempt < 2; ++attempt) {
    clock_.advance(seconds(60));
    leaf.follower.step();
  }
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
}

TEST_F(GenerationFollowerTest, FetchesNothingWithoutRoomForAllOfIt) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  constexpr std::uint64_t kMoreThanThereIs = std::uint64_t{1} << 61;
  Leaf leaf(folder_.path(), clock_, kMoreThanThereIs);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << "what is on the disk needs no room";
  publish(20);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  for (const std::string& told : {std::string("generation 2"), std::string("needs"), std::to_string(kMoreThanThereIs)})
    EXPECT_NE(leaf.board.detail().find(told), std::string::npos) << leaf.board.detail();
  EXPECT_EQ(count("fetching"), 0u);
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_disk_free_bytes"), std::string::npos);
}

TEST_F(GenerationFollowerTest, FetchesAnewWhatIsCutShortWhileItIsServed) {
  publish(200);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  const auto held = leaf.board.find({1, 0}, clock_.now());
  const fs::path away = folder_ / "away";
  fs::rename(folder_ / "repository", away);
  for (const auto& entry : fs::directory_iterator(folder_ / "data/partitions/g1-p0"))
    if (entry.path().extension() == ".sst") fs::resize_file(entry.path(), 50);
  for (int i = 0; i < 2; ++i) leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << "the other partition is served on";
  EXPECT_EQ(held->partitions[0].open->partition().intact(), Code::kCorrupt);
  EXPECT_TRUE(held->partitions[1].open->partition().intact());
  EXPECT_NE(leaf.board.detail().find("is damaged on this disk"), std::string::npos) << leaf.board.detail();
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_partitions_damaged 1"), std::string::npos);
  fs::rename(away, folder_ / "repository");
  clock_.advance(seconds(2));
  leaf.follower.step();
  EXPECT_TRUE(leaf.board.detail().empty()) << leaf.board.detail();
  const auto mended = leaf.board.find({1, 0}, clock_.now());
  EXPECT_NE(mended->partitions[0].open, held->partitions[0].open);
  EXPECT_EQ(mended->partitions[1].open, held->partitions[1].open);
  for (const auto& one : mended->partitions) EXPECT_TRUE(one.open->partition().verify_checksums());
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_generation_mended_total 1"), std::string::npos);
  EXPECT_NE(leaf.registry.exposition().find("frond_leaf_partitions_damaged 0"), std::string::npos);
}

TEST_F(GenerationFollowerTest, LetsGoOfWhatItFetchedOfAGenerationThatWasGivenUp) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  support::flip_byte(published_file("g2-p1"), 40);
  leaf.follower.step();
  ASSERT_EQ(leaf.serving(), Numbers{1});
  ASSERT_TRUE(fs::exists(folder_ / "data/partitions/g2-p0")) << "for the next attempt";
  publish(30);
  support::flip_byte(published_file("g3-p1"), 40);
  leaf.follower.step();
  EXPECT_FALSE(fs::exists(folder_ / "data/partitions/g2-p0")) << "before the disk is needed for generation 3";
  EXPECT_FALSE(fs::exists(folder_ / "data/generations/2.terms.sst"));
  publish(40);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 4}));
  EXPECT_EQ(count("partitions"), 4u) << "of the generations served";
  EXPECT_EQ(count("generations", ".sst"), 2u);
  EXPECT_EQ(count("fetching"), 0u);
}

TEST_F(GenerationFollowerTest, MakesRoomBeforeItFetchesItsFirstGeneration) {
  publish(10);
  publish(20);
  { Leaf(folder_.path(), clock_).follower.step(); }
  publish(30);
  fs::create_directories(folder_ / "data/partitions/g0-p0");
  support::flip_byte(published_file("g3-p1"), 40);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_FALSE(fs::exists(folder_ / "data/partitions/g0-p0"));
}

TEST_F(GenerationFollowerTest, LinksTheFilesOfARepositoryBesideIt) {
  publish(30);
  const fs::path file = published_file("g1-p0");
  const auto names = fs::hard_link_count(file);
  Leaf leaf(folder_.path(), clock_, /*disk_reserve=*/std::uint64_t{1} << 60);  // for which there is no room to copy
  leaf.loader.link_from(folder_ / "repository/c");
  leaf.follower.step();
  ASSERT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  EXPECT_EQ(fs::hard_link_count(file), names + 1);
  EXPECT_EQ(leaf.source->transfers().bytes, 0u);
  fs::remove_all(folder_ / "repository/c/partitions");  // as prune does
  EXPECT_TRUE(leaf.board.get()->back()->partitions[0].open->partition().verify_checksums());
}

TEST_F(GenerationFollowerTest, LinksNothingThatIsDamagedOrALink) {
  publish(30);
  const fs::path file = published_file("g1-p0");
  support::flip_byte(file, 40);
  Leaf leaf(folder_.path(), clock_);
  leaf.loader.link_from(folder_ / "repository/c");
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());
  EXPECT_NE(leaf.board.detail().find(file.filename().string()), std::string::npos) << leaf.board.detail();
  support::flip_byte(file, 40);
  fs::rename(file, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", file);
  clock_.advance(seconds(2));
  leaf.follower.step();
  EXPECT_TRUE(leaf.serving().empty());  // as where files are copied
}

}  // namespace
}  // namespace frond::leaf::generation
