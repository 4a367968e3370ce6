// What may only look like damage, and damage that does not look like it.
#include <sys/stat.h>

#include "tests/unit/leaf/generation/scrubber_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;

ino_t inode_of(const fs::path& file) {
  struct stat found = {};
  ::stat(file.c_str(), &found);
  return found.st_ino;
}

TEST_F(ScrubberTest, FetchesWhatIsWrongOnTheDiskUnderARightPageOfTheCache) {
  leaf_->follower.step();
  const auto expect_replaced = [&](const std::string& folder, const std::function<void()>& find) {
    SCOPED_TRACE(folder);
    const ino_t bad = inode_of(tables(folder).front());
    rot([bad](const fs::path& file) { return inode_of(file) == bad; });
    find();
    for (const fs::path& file : tables(folder)) EXPECT_NE(inode_of(file), bad);
    EXPECT_TRUE(intact(0));
    EXPECT_TRUE(leaf_->board.detail().empty()) << leaf_->board.detail();
  };
  expect_replaced("partitions/g1-p0", [&] { scrub(); });
  expect_replaced("generations", [&] { scrub(); });
  expect_replaced("partitions/g1-p0", [&] {  // while its report is on the way
    leaf_->board.get()->back()->partitions[0].open->condemn(Error(Code::kCorrupt, "other bytes"));
    leaf_->follower.step();
  });
}

TEST_F(ScrubberTest, TakesAPartitionAwayOnlyForBytesThatAreWrongTwice) {
  leaf_->follower.step();
  std::set<fs::path> read;
  rot([&](const fs::path& file) { return read.insert(file).second; });
  scrub();
  EXPECT_TRUE(tells("frond_leaf_scrub_damaged_files_total 0")) << "each was right the second time";
  const std::uint64_t fetched = leaf_->source->transfers().bytes;
  bool fails = true;
  disk_ = [&](const fs::path& file, const auto& sink) -> Result<void> {
    if (fails && file.parent_path().filename() == "g1-p0") return Error(Code::kUnavailable, "too many open files");
    return files::read_from_disk(file, sink);
  };
  clock_.advance(hours(25));
  while (scrubber_->step()) {
  }
  fails = false;
  EXPECT_FALSE(tells("frond_leaf_scrub_damaged_files_total 0"));
  bool answers = false;
  leaf_->warming = [&] { answers = static_cast<bool>(intact(0)); };
  leaf_->follower.step();
  EXPECT_TRUE(answers) << "until it was verified";
  EXPECT_TRUE(tells("frond_leaf_generation_mended_total 1"));
  EXPECT_EQ(leaf_->source->transfers().bytes, fetched);
}

TEST_F(ScrubberTest, TakesADamagedPartitionAwayWhileAnotherGenerationIsLoaded) {
  leaf_->follower.step();
  publish_change();
  std::optional<Result<void>> then;
  leaf_->warming = [&] {
    if (then) return;
    leaf_->follower.damaged(wrong(0));
    then = intact(0);
  };
  leaf_->follower.step();
  ASSERT_TRUE(then);
  EXPECT_EQ(*then, Code::kCorrupt);
  EXPECT_EQ(leaf_->serving(), (Numbers{1, 2}));
  EXPECT_TRUE(intact(0)) << "mended";
}

TEST_F(ScrubberTest, TriesLessAndLessOftenWhereTheRepositoryIsDamagedToo) {
  leaf_->follower.step();
  support::flip_byte(published_file("g1-p0"), 40);
  const std::uint64_t size = fs::file_size(published_file("g1-p0"));
  for (const fs::path& file : tables("partitions/g1-p0"))
    if (fs::file_size(file) == size) support::flip_byte(file, 40);
  scrub();
  const auto attempts = [&](int steps, seconds apart) {
    int made = 0;
    for (int i = 0; i < steps; ++i) {
      const std::uint64_t fetched = leaf_->source->transfers().bytes;
      clock_.advance(apart);
      leaf_->follower.step();
      made += leaf_->source->transfers().bytes > fetched ? 1 : 0;
    }
    return made;
  };
  const int in_a_day = attempts(144, seconds(600));
  EXPECT_GE(in_a_day, 20);
  EXPECT_LE(in_a_day, 40) << "once an hour at last";
  leaf_->follower.damaged(wrong(1));
  EXPECT_EQ(attempts(2, seconds(2)), 2) << "something new";
}

TEST_F(ScrubberTest, LooksOnceInItsIntervalWhereASearchFindsDamageThatIsNotOnTheDisk) {
  leaf_->follower.step();
  EXPECT_FALSE(scrubber_->step());
  suspect(0);
  clock_.advance(seconds(61));
  EXPECT_TRUE(scrubber_->step());
  for (int minutes = 0; minutes < 3; ++minutes) {
    suspect(0);
    clock_.advance(seconds(61));
    EXPECT_FALSE(scrubber_->step());
  }
  suspect(1);
  EXPECT_TRUE(scrubber_->step()) << "another one";
  clock_.advance(hours(24));
  EXPECT_TRUE(scrubber_->step());
  EXPECT_FALSE(leaf_->board.get()->back()->partitions[0].open->suspected.load()) << "first, again";
}

}  // namespace
}  // namespace frond::leaf::generation
