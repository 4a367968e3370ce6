// The promises of generation_follower.h, on a repository in a temporary folder, one step at a time.
#include "leaf/generation/generation_follower.h"

#include <gtest/gtest.h>

#include "leaf/lists/partition_list_store.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// A leaf's life between two starts.
struct Leaf {
  explicit Leaf(const fs::path& root, const Clock& clock, std::uint64_t disk_reserve = 0)
      : source(*repository::RepositorySource::open((root / "repository").string(), "c")),
        data(*DataFolder::open(root / "data")),
        store(clock),
        registration{[this](std::uint64_t number, auto partition) { store.add(number, partition); },
                     [this](std::uint64_t number) { store.remove(number); }},
        loader(*source, *data, {}, registration, disk_reserve),
        follower({"c", std::chrono::milliseconds(1000), seconds(30), seconds(3600)}, *source, *data, loader, board,
                 brokers, clock, log, &registry) {}

  std::vector<Generation> serving() const {
    std::vector<Generation> numbers;
    for (const auto& one : *board.get()) numbers.push_back(one->generation);
    return numbers;
  }

  // A broker said hello now, and that it serves from this generation.
  void hello_from(std::uint64_t instance, Generation serving, Instant now) {
    brokers.heard({instance, "broker-" + std::to_string(instance) + ":1", {serving, 0}, seconds(60)}, {}, now);
  }

  std::unique_ptr<repository::RepositorySource> source;
  std::unique_ptr<DataFolder> data;
  lists::PartitionListStore store;
  ListRegistration registration;
  Logger log{"test", LogLevel::kError};
  metrics::Registry registry{"test"};
  ServedBoard board;
  BrokerRoll brokers;
  GenerationLoader loader;
  GenerationFollower follower;
};

class GenerationFollowerTest : public testing::Test {
 protected:
  void publish(std::uint32_t documents, std::uint32_t partitions = 2, const std::string& ids_end = {}) {
    const auto published = support::publish_generation(
        folder_ / "repository", "c", support::random_documents(documents, documents), partitions, ids_end);
    ASSERT_TRUE(published) << published.error().message();
  }
  fs::path published_file(const std::string& partition) {
    const fs::path partitions = folder_ / "repository/c/partitions";
    for (const auto& entry : fs::directory_iterator(partitions / partition))
      if (entry.path().filename().string().starts_with("documents")) return entry.path();
    return {};
  }
  std::size_t count(const std::string& name, const std::string& extension = {}) {
    std::size_t entries = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "data" / name))
      entries += extension.empty() || entry.path().extension() == extension ? 1 : 0;
    return entries;
  }
  using Numbers = std::vector<Generation>;

  support::ScratchFolder folder_;
  support::ManualClock clock_;
};

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
  leaf.follower.step();
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
  leaf.follower.step();
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
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
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
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
  EXPECT_EQ(count("generations", ".sst"), 1u);
  EXPECT_EQ(count("partitions"), 2u);
  EXPECT_TRUE(fs::exists(leaf.data->terms(after))) << "not the other's was removed";
  EXPECT_EQ(count("generations", ".json"), 1u);
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

TEST_F(GenerationFollowerTest, UsesTermStatisticsThatALeafOfBeforeFetched) {
  publish(10);
  GenerationId id;
  {
    Leaf leaf(folder_.path(), clock_);
    leaf.follower.step();
    id = leaf.board.get()->back()->id();
    fs::rename(leaf.data->terms(id), leaf.data->former_terms(1));
  }
  fs::rename(folder_ / "repository", folder_ / "away");  // can't be fetched again
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
  EXPECT_TRUE(fs::exists(leaf.data->terms(id)));
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
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(count("partitions"), 4u);
  EXPECT_TRUE(held->partitions[0].open->partition().document(0));
  held.reset();
  leaf.follower.step();
  EXPECT_EQ(count("partitions"), 2u);
}

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

TEST_F(GenerationFollowerTest, GoesBackWithARollback) {
  publish(10);
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  publish(20);
  leaf.follower.step();
  ASSERT_EQ((*repository::RepositoryWriter::open(folder_ / "repository", "c"))->rollback(), Generation{1});
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{2, 1}));  // the current one is last
  clock_.advance(seconds(31));
  leaf.hello_from(1, 1, clock_.now());
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1});
}

TEST_F(GenerationFollowerTest, UsesAgainWhatItHasAfterARestart) {
  publish(10);
  { Leaf(folder_.path(), clock_).follower.step(); }
  fs::remove_all(folder_ / "repository/c/partitions");  // can't be fetched again
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{1}) << leaf.board.detail();
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
    leaf.follower.step();
    EXPECT_EQ(leaf.serving(), Numbers{2});
  }
  Leaf leaf(folder_.path(), clock_);
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), Numbers{2});
  EXPECT_EQ(count("partitions"), 2u);
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

TEST_F(GenerationFollowerTest, ServesABoundedNumberOfGenerations) {
  Leaf leaf(folder_.path(), clock_);
  for (std::uint32_t i = 1; i <= 7; ++i) {
    publish(5 + i, 1);
    leaf.follower.step();
  }
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{4, 5, 6, 7}));
}

TEST_F(GenerationFollowerTest, LetsGoFirstOfWhatNoBrokerServesFrom) {
  Leaf leaf(folder_.path(), clock_);
  for (std::uint32_t i = 1; i <= 7; ++i) {
    publish(5 + i, 1);
    leaf.follower.step();
    leaf.hello_from(1, 1, clock_.now());
  }
  leaf.follower.step();
  EXPECT_EQ(leaf.serving(), (Numbers{1, 5, 6, 7}));
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
