// What scrubber.h and the repair of generation_follower.h promise of files that change on the disk without a fault.
#include "leaf/generation/scrubber.h"

#include <fstream>
#include <thread>

#include "common/files/read.h"
#include "tests/unit/leaf/generation/scrubber_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;

TEST_F(ScrubberTest, FindsAByteThatFlippedInAnyFileOfAPartitionAndFetchesThatFileOnly) {
  leaf_->follower.step();
  scrub();
  EXPECT_TRUE(tells("frond_leaf_scrub_damaged_files_total 0")) << "nothing is damaged";
  const auto before = contents("partitions/g1-p0");
  ASSERT_GE(before.size(), 8u) << "lists, terms, documents, heads, arrays, columns, positions, sources";
  for (std::size_t i = 0; i < before.size(); ++i) {
    const fs::path file = tables("partitions/g1-p0")[i];
    const std::uint64_t size = fs::file_size(file);
    for (const std::uint64_t at : {std::uint64_t{0}, size / 2, size - 1}) {
      SCOPED_TRACE(file.string() + " byte " + std::to_string(at));
      const fs::path now = [&] {  // it has another name each time
        for (const fs::path& one : tables("partitions/g1-p0"))
          if (fs::file_size(one) == size) return one;
        return fs::path();
      }();
      const std::uint64_t fetched = leaf_->source->transfers().bytes, length = fs::file_size(now);
      support::flip_byte(now, at);
      scrub();
      EXPECT_EQ(contents("partitions/g1-p0"), before);
      EXPECT_EQ(leaf_->source->transfers().bytes - fetched, length);
      EXPECT_TRUE(intact(0));
      EXPECT_TRUE(leaf_->board.detail().empty()) << leaf_->board.detail();
    }
  }
}

TEST_F(ScrubberTest, NamesWhatIsDamagedAndThePartitionAnswersNoMoreUntilTheRepositoryIsBack) {
  leaf_->follower.step();
  const fs::path away = folder_ / "away", file = tables("partitions/g1-p1").front();
  fs::rename(folder_ / "repository", away);
  support::flip_byte(file, fs::file_size(file) / 2);
  scrub();
  EXPECT_TRUE(intact(0));
  ASSERT_EQ(intact(1), Code::kCorrupt);
  for (const std::string& told : {std::string("generation 1 is damaged on this disk: partition g1-p1"), file.string(),
                                  std::string("expected: "), std::string("fetching it anew")})
    EXPECT_NE(leaf_->board.detail().find(told), std::string::npos) << told << " in " << leaf_->board.detail();
  EXPECT_TRUE(tells("frond_leaf_partitions_damaged 1"));
  EXPECT_TRUE(tells("frond_leaf_scrub_damaged_files_total 1"));
  EXPECT_TRUE(fs::exists(file)) << "until the new one is there";
  fs::rename(away, folder_ / "repository");
  leaf_->follower.step();
  EXPECT_EQ(intact(1), Code::kCorrupt) << "too early for another attempt";
  clock_.advance(seconds(2));
  leaf_->follower.step();
  EXPECT_TRUE(intact(1));
  EXPECT_TRUE(leaf_->board.detail().empty()) << leaf_->board.detail();
  EXPECT_TRUE(tells("frond_leaf_generation_mended_total 1"));
}

TEST_F(ScrubberTest, TakesNothingFromARepositoryThatIsDamagedItself) {
  leaf_->follower.step();
  const fs::path published = published_file("g1-p0");
  const std::uint64_t size = fs::file_size(published);
  for (const fs::path& file : tables("partitions/g1-p0"))
    if (fs::file_size(file) == size) support::flip_byte(file, 40);
  support::flip_byte(published, 40);
  scrub();
  EXPECT_EQ(intact(0), Code::kCorrupt);
  EXPECT_NE(leaf_->board.detail().find(published.filename().string()), std::string::npos) << leaf_->board.detail();
  support::flip_byte(published, 40);
  clock_.advance(seconds(2));
  leaf_->follower.step();
  EXPECT_TRUE(intact(0)) << leaf_->board.detail();
}

TEST_F(ScrubberTest, ServesOnWhatIsOnlyGoneAndFetchesIt) {
  leaf_->follower.step();
  const auto before = contents("partitions/g1-p0");
  const fs::path away = folder_ / "away";
  fs::rename(folder_ / "repository", away);
  fs::remove(tables("partitions/g1-p0").front());
  scrub();
  EXPECT_TRUE(intact(0));
  EXPECT_NE(leaf_->board.detail().find("is gone"), std::string::npos) << leaf_->board.detail();
  fs::rename(away, folder_ / "repository");
  clock_.advance(seconds(2));
  leaf_->follower.step();
  EXPECT_EQ(contents("partitions/g1-p0"), before);
  fs::remove_all(folder_ / "data/partitions/g1-p1");
  scrub();
  EXPECT_EQ(tables("partitions/g1-p1").size(), before.size());
  EXPECT_TRUE(intact(1));
}

TEST_F(ScrubberTest, FindsWhatIsCutOffGrownOrCannotBeRead) {
  leaf_->follower.step();
  const auto before = contents("partitions/g1-p0");
  const auto damages = {std::function([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); }),
                        std::function([](const fs::path& file) { std::ofstream(file, std::ios::app) << 'x'; }),
                        std::function([](const fs::path& file) {
                          fs::remove(file);
                          fs::create_directory(file);  // opens, and is not read
                        })};
  for (const auto& damage : damages) {
    damage(tables("partitions/g1-p0").back());
    scrub();
    EXPECT_EQ(contents("partitions/g1-p0"), before);
    EXPECT_TRUE(intact(0));
  }
}

TEST(StoredFiles, ThatTheDiskCannotReadAreDamaged) {
  support::ScratchFolder folder;
  const std::vector<partition::PartitionFile> expected{{"a-0.sst", 3, "aaa"}, {"b-0.sst", 3, "bbb"}};
  const auto looked = look_at_files(folder.path(), expected, [](const fs::path& file) {
    using Described = Result<partition::PartitionFile>;
    if (file.filename() == "b-0.sst") return std::optional(Described(Error(Code::kUnavailable, "Input/output error")));
    return std::optional(Described({"a-0.sst", 3, "aaa"}));
  });
  ASSERT_TRUE(looked);
  EXPECT_EQ(looked->good, (Places{{"a-0.sst", folder / "a-0.sst"}}));
  ASSERT_EQ(looked->damaged.size(), 1u);
  EXPECT_EQ(looked->damaged[0].name, "b-0.sst");
  EXPECT_EQ(looked->damaged[0].why.message(), "Input/output error");
}

TEST(StoredFiles, AreFoundByTheirNamesOrByWhatTheyHold) {
  support::ScratchFolder folder;
  for (const auto& [name, text] : {std::pair("000001.sst", "two"), {"000002.sst", "one"}, {"c-0.sst", "six"}})
    support::write_file(folder / name, text);
  const std::vector<partition::PartitionFile> expected{{"a-0.sst", 3, "one"},
                                                       {"b-0.sst", 3, "two"},
                                                       {"c-0.sst", 3, "not read"},
                                                       {"d-0.sst", 3, "ten"},
                                                       {"e-0.sst", 4, ""}};
  const auto text_as_digest = [](const fs::path& file) {
    return std::optional(Result<partition::PartitionFile>({"", 3, files::read_text(file, 9).value()}));
  };
  EXPECT_EQ(places_in(folder.path(), expected, text_as_digest), (Places{{"a-0.sst", folder / "000002.sst"},
                                                                        {"b-0.sst", folder / "000001.sst"},
                                                                        {"c-0.sst", folder / "c-0.sst"}}));
  EXPECT_EQ(places_in(folder.path(), expected, {}).size(), 4u) << "all but that of another size";
  EXPECT_EQ(places_in(folder / "nowhere", expected, {}), Places());
}

TEST_F(ScrubberTest, MendsTermStatisticsChangesAndManifests) {
  publish_change();
  leaf_->follower.step();
  ASSERT_EQ(leaf_->serving(), Numbers{2}) << leaf_->board.detail();
  std::vector<fs::path> all{folder_ / "data/SERVED"};
  for (const auto& entry : fs::directory_iterator(folder_ / "data/generations")) all.push_back(entry.path());
  ASSERT_EQ(all.size(), 4u) << "the manifest twice, term statistics, changes";
  for (const fs::path& file : all) {
    SCOPED_TRACE(file);
    const std::string before = support::read_file(file);
    support::flip_byte(file, before.size() / 2);
    scrub();
    EXPECT_TRUE(support::read_file(file) == before);
    fs::remove(file);
    scrub();
    EXPECT_TRUE(fs::exists(file) && support::read_file(file) == before);
    EXPECT_TRUE(leaf_->board.detail().empty()) << leaf_->board.detail();
  }
  EXPECT_TRUE(tells("frond_leaf_generation_mended_total 8"));
}

TEST_F(ScrubberTest, DoesNotWriteThroughALinkToTheRepository) {
  leaf_->loader.link_from(folder_ / "repository/c");
  leaf_->follower.step();
  const fs::path published = published_file("g1-p0"), backup = folder_ / "backup", witness = folder_ / "witness";
  fs::copy_file(published, backup);
  fs::create_hard_link(published, witness);
  support::flip_byte(published, 40);
  const std::string damaged = support::read_file(witness);
  scrub();
  EXPECT_EQ(intact(0), Code::kCorrupt) << "both names have the same bytes";
  EXPECT_TRUE(support::read_file(witness) == damaged);
  fs::remove(published);
  fs::rename(backup, published);  // what was in a backup
  clock_.advance(seconds(2));
  leaf_->follower.step();
  EXPECT_TRUE(intact(0)) << leaf_->board.detail();
  EXPECT_TRUE(support::read_file(witness) == damaged);
  EXPECT_EQ(fs::hard_link_count(published), 2u) << "linked again";
}

TEST_F(ScrubberTest, LooksSoonWhereASearchFoundDamageAndOtherwiseOnceInItsInterval) {
  leaf_->follower.step();
  EXPECT_FALSE(scrubber_->step()) << "all was verified when it was loaded";
  clock_.advance(hours(23));
  EXPECT_FALSE(scrubber_->step());
  const fs::path file = tables("partitions/g1-p0").front();
  support::flip_byte(file, 40);
  Logger log("test", LogLevel::kError);
  DamageLog(log, clock_).report(*leaf_->board.get()->back()->partitions[0].open, Error(Code::kCorrupt, "a block"));
  EXPECT_TRUE(scrubber_->step());
  EXPECT_FALSE(scrubber_->step()) << "nothing else is due";
  leaf_->follower.step();
  EXPECT_TRUE(tells("frond_leaf_generation_mended_total 1"));
}

TEST_F(ScrubberTest, SaysNothingOfAPartitionThatIsServedNoMore) {
  leaf_->follower.step();
  int reports = 0;
  Scrubber scrubber({.interval = hours(1), .on_damage = [&](const DamagedFile&) { ++reports; }}, pace_, *leaf_->data,
                    leaf_->board, clock_, nullptr);
  scrubber.step();
  clock_.advance(hours(2));
  leaf_->board.put({});
  fs::remove_all(folder_ / "data/partitions/g1-p0");
  EXPECT_FALSE(scrubber.step());
  EXPECT_EQ(reports, 0);
}

TEST_F(ScrubberTest, StopsInTheMiddleOfAFile) {
  leaf_->follower.step();
  ScrubPace slow(1);  // a byte a second
  Scrubber scrubber({.interval = seconds(0), .on_damage = [](const DamagedFile&) {}}, slow, *leaf_->data, leaf_->board,
                    clock_, &leaf_->registry);
  scrubber.start();
  while (tells("frond_leaf_scrubbed_bytes_total 0")) std::this_thread::yield();
  EXPECT_TRUE(scrubber.stop(seconds(10)));
}

TEST(ScrubPace, IsOneForAllThatReadByIt) {
  ScrubPace pace(1000);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_GE(pace.after(2000), begun + seconds(2));
  EXPECT_GE(pace.after(1000), begun + seconds(3));
  EXPECT_TRUE(ScrubPace(0).stands());
}

}  // namespace
}  // namespace frond::leaf::generation
