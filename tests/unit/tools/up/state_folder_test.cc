#include "tools/up/state_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::tools::up {
namespace {
namespace fs = std::filesystem;

TEST(TheStateFolder, KeepsItsKeyAndWhatItWasMadeOf) {
  const support::ScratchFolder scratch;
  std::string key;
  {
    const auto folder = *StateFolder::open(scratch / "state");
    EXPECT_EQ(folder->origin()->collection, "");
    ASSERT_TRUE(folder->remember({"docs", {"/a", "/b \"c\""}}));
    EXPECT_FALSE(folder->has_generation("docs"));
    key = folder->key();
    EXPECT_TRUE(key.starts_with("frond_") && key.find('\n') == key.npos) << key;
  }
  fs::create_directories(scratch / "state/repository/docs");
  support::write_file(scratch / "state/repository/docs/CURRENT", "1\n");
  support::write_file(scratch / "state/run/leaf.sock", "");
  const auto folder = *StateFolder::open(scratch / "state");
  EXPECT_EQ(folder->key(), key);
  EXPECT_EQ(folder->origin()->collection, "docs");
  EXPECT_EQ(folder->origin()->inputs, (std::vector<std::string>{"/a", "/b \"c\""}));
  EXPECT_TRUE(folder->has_generation("docs"));
  EXPECT_FALSE(fs::exists(scratch / "state/run/leaf.sock")) << "of programs that are gone";
}

TEST(TheStateFolder, IsOfOneProcessAndTellsWhich) {
  const support::ScratchFolder scratch;
  const auto folder = *StateFolder::open(scratch / "state");
  const auto other = StateFolder::open(scratch / "state");
  ASSERT_EQ(other, Code::kUnavailable);
  EXPECT_NE(other.error().message().find("process " + std::to_string(::getpid())), std::string::npos);
}

// A process that holds the lock of a dead one ends after a while.
TEST(TheStateFolder, WaitsForTheProgramsOfOneThatWasKilled) {
  const support::ScratchFolder scratch;
  int held[2];
  ASSERT_EQ(::pipe(held), 0);
  const pid_t dead = ::fork();
  if (dead == 0) {
    const auto folder = StateFolder::open(scratch / "state");
    if (folder && ::fork() == 0) {  // has the lock as long as it lives
      ::usleep(300'000);
      ::_exit(0);
    }
    (void)!::write(held[1], "x", 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(held[0], &byte, 1), 1);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  std::vector<std::string> said;
  EXPECT_TRUE(StateFolder::open(scratch / "state", [&](const std::string& line) { said.push_back(line); }));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("process " + std::to_string(dead)), std::string::npos) << said[0];
  ::close(held[0]);
  ::close(held[1]);
}

TEST(TheStateFolder, IsItsUsersAloneInAFolderThatOthersMayOpen) {
  const support::ScratchFolder scratch;
  const mode_t before = ::umask(0);
  fs::create_directories(scratch / "open");
  EXPECT_TRUE(StateFolder::open(scratch / "open"));
  ::umask(before);
  for (const auto& one : fs::directory_iterator(scratch / "open"))
    if (one.is_directory() || one.path().filename() == "api.key") {
      EXPECT_EQ(one.status().permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none) << one;
    }
}

TEST(TheStateFolder, IsNoOtherFolder) {
  const support::ScratchFolder scratch;
  support::write_file(scratch / "file", "x");
  EXPECT_EQ(StateFolder::open(scratch / "file"), Code::kInvalid);
  EXPECT_EQ(StateFolder::open(scratch.path()), Code::kInvalid) << "it has a file";
  fs::create_directories(scratch / "empty");
  EXPECT_TRUE(StateFolder::open(scratch / "empty"));
  support::write_file(scratch / "empty/up.json", "{\"collection\": 1}");
  EXPECT_EQ((*StateFolder::open(scratch / "empty"))->origin(), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::tools::up
