// A directory on a network file system, which keeps removed files that are open on this machine as ".nfs…" in their
// folder (NFS). It is imitated where a folder's files are removed: unlinkat(2).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/common/repository/leased_directory.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

// The name of the files that are open, as it begins. One thread sets it; none: all are removed.
std::string open_now;       // NOLINT
std::string immovable_now;  // NOLINT: that can't be removed for another reason

bool begins(const std::string& name, const std::string& with) { return !with.empty() && name.starts_with(with); }

int unlink_as_nfs_does(int folder, const char* path, int flags) {
  const fs::path file(path);
  const std::string name = file.filename().string();
  const bool imitates = (flags & AT_REMOVEDIR) == 0 && !open_now.empty();
  if ((imitates && name.starts_with(".nfs")) || begins(name, immovable_now)) {
    errno = EBUSY;
    return -1;
  }
  if (imitates && begins(name, open_now))
    return ::renameat(folder, path, folder, (file.parent_path() / (".nfs00" + name)).c_str());
  return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

}  // namespace
}  // namespace frond::repository

// Instead of the system's, also for the standard library.
extern "C" int unlinkat(int folder, const char* path, int flags) noexcept {
  return frond::repository::unlink_as_nfs_does(folder, path, flags);
}

namespace frond::repository {
namespace {

class ADirectoryThatKeepsFiles : public testing::Test, public Directory {
 protected:
  ~ADirectoryThatKeepsFiles() override {
    open_now.clear();
    immovable_now.clear();
  }
  // Of folders and files in a folder of the collection.
  std::vector<std::string> names(const fs::path& below) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(collection() / below))
      all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }
};
using Names = std::vector<std::string>;

TEST_F(ADirectoryThatKeepsFiles, IsTakenOverFromAServiceWhoseFilesAreOpen) {
  const auto first = lease("a");
  ASSERT_TRUE(publish("a", 1));
  open_now = "LOCK";  // of the gate
  const auto second = lease("b");
  EXPECT_EQ(second->epoch(), 2u);
  EXPECT_EQ(publish("b", 2), 2u);
  EXPECT_FALSE(publish("a", 1));
  EXPECT_EQ(names("writing"), (Names{"2-b", "ended-1-a"}));
  // Another machine may still know the folder by its old name.
  const fs::path kept = collection() / "writing" / "ended-1-a", draft = folder / "CURRENT";
  std::ofstream(draft) << "9 1\n";
  EXPECT_NE(std::rename(draft.c_str(), (kept / "passing").c_str()), 0);
  EXPECT_NE(std::rename((kept / "passing").c_str(), (collection() / "CURRENT").c_str()), 0);
  const auto third = lease("c");  // while they are open
  EXPECT_EQ(publish("c", 3), 3u);
  open_now.clear();
  const auto last = lease("d");
  EXPECT_EQ(names("writing"), Names{"4-d"});
}
TEST_F(ADirectoryThatKeepsFiles, IsPrunedAndPublishedWhileFilesOfAPartitionAreOpen) {
  const auto first = lease("a");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(publish("a", 1));
  const Names before = names("partitions");
  open_now = "postings";
  for (int i = 0; i < 2; ++i) {
    const auto pruned = writer("a", 1).value()->prune(0);
    ASSERT_TRUE(pruned) << pruned.error().message();
    EXPECT_TRUE(publish("a", 1));
  }
  EXPECT_LT(names("partitions").size(), before.size());
  EXPECT_FALSE(fs::exists(collection() / "writing" / "1-a" / "passing"));
  expect_whole();
  open_now.clear();
  const auto second = lease("b");
  EXPECT_EQ(names("writing"), Names{"2-b"});
}
TEST_F(ADirectoryThatKeepsFiles, IsPrunedAndPublishedWithoutALease) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(publish("command", 0));
  open_now = "postings";
  const auto pruned = writer("command", 0).value()->prune(0);
  ASSERT_TRUE(pruned) << pruned.error().message();
  EXPECT_EQ(names("partitions").size(), 3u);  // folders with what is open
  EXPECT_TRUE(publish("command", 0));
  expect_whole();
  open_now.clear();
  ASSERT_TRUE(writer("command", 0));
  EXPECT_EQ(names("partitions").size(), 2u);
}
TEST_F(ADirectoryThatKeepsFiles, IsNotTakenOverIfAGateStaysForAnotherReason) {
  const auto first = lease("a");
  ASSERT_TRUE(publish("a", 1));
  std::ofstream(collection() / "writing" / "1-a" / "stays") << "x";
  immovable_now = "stays";
  EXPECT_EQ(acquire("a"), Code::kUnavailable);
  EXPECT_EQ(current(), "1 1\n");
  immovable_now.clear();
  EXPECT_TRUE(acquire("a"));
}
TEST_F(ADirectoryThatKeepsFiles, MayHaveStrayFiles) {
  const auto first = lease("a");
  ASSERT_TRUE(publish("a", 1));
  for (const char* stray : {"writing/.nfs0001", "writing/note", "writing/1-a/.nfs0002", "writing/1-a/note",
                            "holders/.nfs0003", "holders/note", "generations/.nfs0004", "scratch/.nfs0005"})
    std::ofstream(collection() / stray) << "x";
  EXPECT_TRUE(first->renew(0));
  EXPECT_EQ(publish("a", 1), 2u);
  EXPECT_EQ(publish("command", 0), 3u);
  open_now = "LOCK";
  const auto second = lease("b");
  EXPECT_EQ(second->epoch(), 2u);
  EXPECT_EQ(publish("b", 2), 4u);
  EXPECT_TRUE(writer("b", 2).value()->prune(0));
  expect_whole();
}

}  // namespace
}  // namespace frond::repository
