#include "common/files/write.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"

namespace frond::files {
namespace {

TEST(ALock, HasOneHolderAtATime) {
  const support::ScratchFolder folder;
  const auto path = folder.path() / "LOCK";
  {
    const auto first = try_lock_file(path);
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->has_value());
    const auto second = try_lock_file(path);
    ASSERT_TRUE(second) << "that it is held is no error";
    EXPECT_FALSE(second->has_value());
  }
  EXPECT_TRUE(try_lock_file(path).value().has_value()) << "the first holder is gone";
}

TEST(ALock, EndsWithItsProcess) {
  const support::ScratchFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = try_lock_folder(folder.path());
    ::_exit(held && held->has_value() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(try_lock_folder(folder.path()).value().has_value());
}

TEST(ALock, NeedsSomethingToLock) {
  const support::ScratchFolder folder;
  EXPECT_EQ(try_lock_folder(folder.path() / "none"), Code::kNotFound);
  EXPECT_EQ(try_lock_file(folder.path() / "none/LOCK"), Code::kUnavailable);
  ASSERT_TRUE(try_lock_file(folder.path() / "file"));
  EXPECT_EQ(try_lock_folder(folder.path() / "file"), Code::kUnavailable) << "a file is no folder";
}

}  // namespace
}  // namespace frond::files
