#include "common/files/descriptor.h"

#include <fcntl.h>

#include <cerrno>
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

}  // namespace
}  // namespace frond::files
