#include "common/files/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"

namespace frond::files {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(ADescriptor, IsClosedByItsLastOwnerOnly) {
  const support::ScratchFolder folder;
  int fd = -1;
  {
    Descriptor made = open(folder.path() / "a", O_WRONLY | O_CREAT).value();
    fd = made.get();
    Descriptor owner = std::move(made);
    EXPECT_FALSE(made.valid());  // NOLINT(bugprone-use-after-move): a moved-from descriptor is empty
    EXPECT_EQ(owner.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(ADescriptor, IsNotInheritedByOtherPrograms) {
  const support::ScratchFolder folder;
  const Descriptor made = open(folder.path() / "a", O_WRONLY | O_CREAT).value();
  EXPECT_EQ(::fcntl(made.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(OpeningAFile, SaysWhichAndWhy) {
  const support::ScratchFolder folder;
  const auto missing = open(folder.path() / "none", O_RDONLY);
  EXPECT_EQ(missing, Code::kNotFound);
  EXPECT_THAT(missing.error().message(), testing::HasSubstr((folder.path() / "none").string()));
  EXPECT_THAT(missing.error().message(), testing::HasSubstr("No such file or directory"));
  const auto no_folder = open(folder.path() / "none/a", O_WRONLY | O_CREAT);
  EXPECT_EQ(no_folder, Code::kUnavailable) << "nothing that could be found is missing";
  EXPECT_THAT(no_folder.error().message(), testing::HasSubstr("creating"));
}

class AnOpening : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    std::filesystem::create_directory(folder_ / "folder");
    for (const char* name : {"file", "folder/file"}) std::ofstream(folder_ / name) << name;
  }
  support::ScratchFolder folder_;
};

// Each of these would wait for ever, or read what is no file, with open(2) alone.
TEST_F(AnOpening, TakesRegularFilesAlone) {
  EXPECT_TRUE(open(folder_ / "file", O_RDONLY));
  for (const auto& path : {folder_ / "pipe", folder_ / "folder", std::filesystem::path("/dev/zero")}) {
    EXPECT_EQ(open(path, O_RDONLY), Code::kUnavailable) << path;
    EXPECT_EQ(open_input(path), Code::kUnavailable) << path;
  }
  EXPECT_EQ(open(folder_ / "pipe", O_WRONLY), Code::kUnavailable);
  EXPECT_EQ(open(folder_ / "pipe", O_RDWR | O_CREAT), Code::kUnavailable);
  EXPECT_THAT(open(folder_ / "pipe", O_RDONLY).error().message(), testing::HasSubstr("it is a pipe, not a file"));
  EXPECT_TRUE(open(folder_ / "folder", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(open_input(folder_ / "file"));
}
TEST_F(AnOpening, OfAnInputTakesAPipeThatIsPassedByNumber) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reads(ends[0]), writes(ends[1]);
  const auto opened = open_input("/dev/fd/" + std::to_string(ends[0]));
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(::fcntl(opened->get(), F_GETFL) & O_NONBLOCK, 0) << "it is waited for";
}
TEST_F(AnOpening, BeneathAFolderFollowsNoLink) {
  std::filesystem::create_symlink(folder_ / "file", folder_ / "folder/link");
  std::filesystem::create_directory_symlink(folder_ / "folder", folder_ / "way");
  EXPECT_TRUE(open_beneath(folder_.path(), "folder/file"));
  EXPECT_EQ(open_beneath(folder_.path(), "folder/link"), Code::kInvalid);
  EXPECT_EQ(open_beneath(folder_.path(), "way/file"), Code::kInvalid);
  EXPECT_EQ(open_beneath(folder_.path(), "pipe"), Code::kInvalid);
  EXPECT_EQ(open_beneath(folder_.path(), "folder"), Code::kInvalid);
  EXPECT_EQ(open_beneath(folder_.path(), "folder/none"), Code::kNotFound);
  EXPECT_EQ(open_beneath(folder_.path(), "file/none"), Code::kNotFound);
  EXPECT_EQ(open_beneath(folder_ / "none", "file"), Code::kNotFound);
  EXPECT_TRUE(open_beneath(folder_ / "way", "file")) << "the root itself is the caller's";
}

}  // namespace
}  // namespace frond::files
