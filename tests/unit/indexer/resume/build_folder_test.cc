// What killed builds left is taken by the same build, kept for a while for others, and removed; folders of builds that
// run are not touched.
#include "indexer/resume/build_folder.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::resume {
namespace {

namespace fs = std::filesystem;
using support::ScratchFolder;

BuildIdentity identity_of(const std::string& stemmer) { return {"1.0", {{"--stemmer", stemmer}}, {1, 2, "3"}}; }

class BuildFolders : public testing::Test {
 protected:
  std::unique_ptr<BuildFolder> claim(const std::optional<BuildIdentity>& identity, bool resume = true) {
    return BuildFolder::claim(collection_.path(), identity, resume, logger_).value();
  }
  // Leaves a folder as a killed build would, with a checkpoint.
  fs::path leave(const std::string& stemmer) {
    fs::path folder = collection_.path() / kBuildsFolder / ("left" + std::to_string(left_++));
    fs::create_directories(folder);
    support::write_file(folder / "spool-p0", "12345678");
    support::write_file(folder / "ids", "12345678");
    support::write_file(folder / "cpu0-0-p0.run", "run");
    Journal journal;
    journal.identity = identity_of(stemmer);
    JournalWriter writer(folder, journal, false);
    pipeline::Checkpoint checkpoint;
    checkpoint.so_far.partitions = {{{folder / "cpu0-0-p0.run"}, folder / "spool-p0", 8}};
    EXPECT_TRUE(writer.checkpoint(checkpoint));
    EXPECT_TRUE(writer.wait());
    return folder;
  }
  void age(const fs::path& folder, std::chrono::hours by) {
    fs::last_write_time(folder / kJournalName, fs::last_write_time(folder / kJournalName) - by);
  }
  const ScratchFolder collection_;
  Logger logger_{"test", LogLevel::kError};
  int left_ = 0;
};

TEST_F(BuildFolders, AreRemovedWhenTheyAreNotKept) {
  fs::path path;
  {
    const auto folder = claim(identity_of("porter"));
    path = folder->path();
    support::write_file(path / "spool-p0", "x");
    EXPECT_FALSE(folder->journal());
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(BuildFolders, AreTakenByTheSameBuildWithoutWhatTheJournalDoesNotName) {
  const fs::path left = leave("porter");
  support::write_file(left / "cpu0-1-p0.run", "not whole");
  fs::create_directory(left / "g1-p0-half");
  const auto folder = claim(identity_of("porter"));
  EXPECT_EQ(folder->path(), left);
  ASSERT_TRUE(folder->journal());
  EXPECT_EQ(folder->journal()->checkpoint.so_far.partitions[0].spool, left / "spool-p0");
  EXPECT_TRUE(fs::exists(left / "cpu0-0-p0.run"));
  EXPECT_FALSE(fs::exists(left / "cpu0-1-p0.run"));
  EXPECT_FALSE(fs::exists(left / "g1-p0-half"));
}

TEST_F(BuildFolders, OfOneBuildAreNotTakenTwice) {
  const fs::path left = leave("porter");
  const auto first = claim(identity_of("porter"));
  const auto second = claim(identity_of("porter"));
  EXPECT_EQ(first->path(), left);
  EXPECT_NE(second->path(), left);
  EXPECT_FALSE(second->journal());
  EXPECT_TRUE(fs::exists(left / kJournalName));
}

TEST_F(BuildFolders, OfOtherBuildsStayForADayAndTwoOfThemAtMost) {
  const fs::path old = leave("a"), b = leave("b"), c = leave("c"), d = leave("d");
  age(old, std::chrono::hours(25));
  age(b, std::chrono::hours(3));
  age(c, std::chrono::hours(2));
  const auto folder = claim(identity_of("porter"));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(b));
  EXPECT_TRUE(fs::exists(c));
  EXPECT_TRUE(fs::exists(d));
  EXPECT_FALSE(folder->journal());
  EXPECT_EQ(remove_remains(collection_.path()), 2u);
  EXPECT_FALSE(fs::exists(d));
  EXPECT_TRUE(fs::exists(folder->path())) << "this one runs";
}

TEST_F(BuildFolders, AreRemovedAtOnceIfTheyAreOfNoUse) {
  const fs::path cut = leave("porter");
  fs::resize_file(cut / "spool-p0", 7);
  const fs::path missing = leave("porter");
  fs::remove(missing / "cpu0-0-p0.run");
  const fs::path damaged = leave("porter");
  support::flip_byte(damaged / kJournalName, 40);
  const fs::path without = leave("porter");
  fs::remove(without / kJournalName);
  const auto folder = claim(identity_of("porter"));
  EXPECT_FALSE(folder->journal());
  for (const fs::path& path : {cut, missing, damaged, without}) EXPECT_FALSE(fs::exists(path)) << path;
}

TEST_F(BuildFolders, AreLeftByABuildThatCannotResumeAndRemovedByOneThatMustNot) {
  const fs::path left = leave("porter");
  EXPECT_NE(claim(std::nullopt)->path(), left);
  EXPECT_TRUE(fs::exists(left)) << "an input that cannot be read twice";
  EXPECT_NE(claim(identity_of("porter"), /*resume=*/false)->path(), left);
  EXPECT_FALSE(fs::exists(left)) << "--resume off";
}

TEST_F(BuildFolders, OfABuildThatHadPublishedAreNotTaken) {
  const fs::path left = leave("porter");
  {
    JournalWriter writer(left, *load_journal(left), true);
    pipeline::InvertedDocuments all;
    all.partitions = {{{}, left / "spool-p0", 8}};
    fs::create_directory(left / "g1-p0");
    ASSERT_TRUE(writer.end_stage(Stage::kInverted, all));
    ASSERT_TRUE(writer.finish({0, "g1-p0", {}}));
  }
  fs::create_directories(collection_ / "partitions/g1-p0");
  EXPECT_FALSE(claim(identity_of("porter"))->journal());
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace frond::indexer::resume
