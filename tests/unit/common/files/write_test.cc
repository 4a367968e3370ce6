#include "common/files/write.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/read.h"
#include "tests/support/scratch_folder.h"

namespace frond::files {
namespace {

namespace fs = std::filesystem;

class WritingAFile : public testing::Test {
 protected:
  std::string text() const { return read_text(path_, 1 << 20).value(); }
  support::ScratchFolder folder_;
  const fs::path path_ = folder_.path() / "a";
};

TEST_F(WritingAFile, OverwritesWhatWasThere) {
  ASSERT_TRUE(write_file(path_, "a long first text"));
  ASSERT_TRUE(write_synced(path_, "second"));
  EXPECT_EQ(text(), "second");
}

TEST_F(WritingAFile, NamesTheFileAndTheCause) {
  const auto done = write_file("/dev/full", "x");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kUnavailable);
  EXPECT_EQ(done.error().message(), "writing /dev/full: No space left on device");
}

TEST_F(WritingAFile, AsANewOneNeverTouchesAnOldOne) {
  ASSERT_TRUE(write_new(path_, "first", 0600));
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto again = write_new(path_, "second", 0600);
  EXPECT_EQ(again.error().code(), Code::kInvalid);
  EXPECT_THAT(again.error().message(), testing::HasSubstr(path_.string()));
  EXPECT_EQ(text(), "first");
  EXPECT_EQ(write_new(folder_.path() / "none/a", "x", 0600).error().code(), Code::kUnavailable);
}

TEST_F(WritingAFile, ByReplacingLeavesNoDraft) {
  ASSERT_TRUE(replace_file(path_, "first"));
  ASSERT_TRUE(replace_file(path_, "second"));
  EXPECT_EQ(text(), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(WritingAFile, ThatCantBeReplacedStaysAsItWas) {
  ASSERT_TRUE(replace_file(path_, "first"));
  fs::create_directory(path_.string() + ".part");  // so the temporary file cannot be created
  EXPECT_EQ(replace_file(path_, "second").error().code(), Code::kUnavailable);
  EXPECT_EQ(text(), "first");
}

TEST_F(WritingAFile, IsSyncedWithItsFolder) {
  ASSERT_TRUE(write_file(path_, "x"));
  EXPECT_TRUE(sync(path_));
  EXPECT_TRUE(sync(folder_.path()));
  EXPECT_TRUE(sync_parent(path_));
  EXPECT_TRUE(sync_parent("no-folder-in-it"));
  EXPECT_EQ(sync(folder_.path() / "none").error().code(), Code::kUnavailable);
}

TEST_F(WritingAFile, RenamesOverAnother) {
  const fs::path other = folder_.path() / "b";
  ASSERT_TRUE(write_file(path_, "x"));
  ASSERT_TRUE(write_file(other, "y"));
  ASSERT_TRUE(files::rename(path_, other));
  EXPECT_EQ(read_text(other, 10), std::string("x"));
  EXPECT_FALSE(fs::exists(path_));
  const auto gone = files::rename(path_, other);
  EXPECT_EQ(gone.error().code(), Code::kUnavailable);
  EXPECT_THAT(gone.error().message(), testing::HasSubstr(path_.string()));
}

}  // namespace
}  // namespace frond::files
