// A directory that services write with a lease: a writer that was stopped at any step, and goes on, changes nothing. It
// is stopped by whoever takes over in the middle of it.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "common/files/write.h"
#include "tests/unit/common/repository/leased_directory.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

using Step = std::function<void(std::string_view)>;
struct Change {
  const char* name;
  std::function<bool(const Directory&, const std::string& machine, std::uint64_t epoch, const Step&)> make;
};
const Change kPublish{"publish", [](const Directory& in, const std::string& machine, std::uint64_t epoch,
                                    const Step& step) { return in.publish(machine, epoch, step).has_value(); }};
const Change kRollback{"roll back",
                       [](const Directory& in, const std::string& machine, std::uint64_t epoch, const Step& step) {
                         const auto writer = in.writer(machine, epoch, step);
                         return writer && (*writer)->rollback().has_value();
                       }};
const Change kPrune{"prune",
                    [](const Directory& in, const std::string& machine, std::uint64_t epoch, const Step& step) {
                      const auto writer = in.writer(machine, epoch, step);
                      return writer && (*writer)->prune(0).has_value();
                    }};

// Overtaken at each step in turn, of machine "a" in this epoch. `before`: just before it is.
void expect_fenced(const Change& change, std::uint64_t epoch, const std::function<void(const Directory&)>& before) {
  for (int at = 0;; ++at) {
    Directory directory;
    const auto first = directory.lease("a");
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(directory.publish("a", 1));
    // What no manifest names is removed, too.
    ASSERT_TRUE(files::write_file(directory.collection() / "generations" / "2.changes.sst", "left"));
    std::unique_ptr<WriterLease> second;
    std::map<std::string, std::string> then;
    std::string step;
    int count = 0;
    const bool done = change.make(directory, "a", epoch, [&](std::string_view name) {
      if (count++ != at) return;
      before(directory);
      step = name;
      second = directory.lease("b");
      then = directory.published();
      ASSERT_EQ(second->epoch(), 2u);
    });
    if (!second) {
      EXPECT_TRUE(done) << change.name;
      EXPECT_GE(at, 3) << change.name;
      return;
    }
    EXPECT_EQ(directory.published(), then) << change.name << " overtaken before step " << at << ", " << step;
    EXPECT_TRUE(!done || step == "done") << change.name << " overtaken before step " << at << ", " << step;
    EXPECT_TRUE(directory.current().ends_with(" 2\n")) << directory.current();
    EXPECT_TRUE(directory.publish("b", 2)) << change.name << " overtaken before step " << at << ", " << step;
    EXPECT_FALSE(directory.publish("a", 1));
    directory.expect_whole();
  }
}

TEST(AFencedDirectory, TakesNothingFromAServiceThatWasOvertakenAtAnyStep) {
  for (const Change& change : {kPublish, kRollback, kPrune}) expect_fenced(change, 1, [](const Directory&) {});
}
TEST(AFencedDirectory, TakesNothingFromACommandThatWasOvertakenWhereLocksDoNotHold) {
  for (const Change& change : {kPublish, kRollback, kPrune})
    expect_fenced(change, 0, [](const Directory& in) { fs::remove(in.collection() / "LOCK"); });
}
TEST(AFencedDirectory, IsNotTakenOverWhileACommandChangesIt) {
  Directory directory;
  const auto first = directory.lease("a");
  ASSERT_TRUE(directory.publish("a", 1));
  first->release(0);
  {
    const auto command = directory.writer("command", 0);
    ASSERT_TRUE(command);
    EXPECT_EQ(directory.acquire("b"), Code::kOverloaded);
    EXPECT_EQ(directory.writer("a", 1), Code::kOverloaded);
  }
  EXPECT_TRUE(directory.acquire("b"));
}
TEST(AFencedDirectory, IsWrittenByACommandWhenItsServiceDoesNot) {
  Directory directory;
  const auto first = directory.lease("a");
  {
    const auto service = directory.writer("a", 1);
    ASSERT_TRUE(service);
    EXPECT_EQ(directory.writer("command", 0), Code::kOverloaded);
    EXPECT_EQ(directory.writer("a", 1), Code::kOverloaded);
  }
  EXPECT_EQ(directory.publish("command", 0), 1u);
  EXPECT_EQ(directory.current(), "1 1\n");
}
TEST(AFencedDirectory, IsWrittenByCommandsIfItsGateIsLost) {
  Directory directory;
  const auto first = directory.lease("a");
  ASSERT_TRUE(directory.publish("a", 1));
  fs::remove_all(directory.collection() / "writing");
  EXPECT_EQ(directory.publish("a", 1), Code::kUnavailable);
  EXPECT_EQ(directory.publish("command", 0), 2u);
  EXPECT_FALSE(fs::exists(directory.collection() / "writing" / "1-a"));
  const auto second = directory.lease("b");
  EXPECT_EQ(directory.publish("b", 2), 3u);
  EXPECT_EQ(directory.publish("command", 0), 4u);
  EXPECT_EQ(directory.current(), "4 2\n");
}
TEST(AFencedDirectory, IsTakenOverAfterAServiceThatDiedWhileItDidSo) {
  Directory directory;
  const auto first = directory.lease("a");
  ASSERT_TRUE(directory.publish("a", 1));
  fs::create_directories(directory.collection() / "writing" / "2-b" / "passing");
  const LeaseRecord died{.epoch = 2, .holder = "x", .log = "b", .length_ms = 10'000};
  ASSERT_TRUE(files::write_file(directory.collection() / "holders" / "2", to_json(died)));
  ASSERT_TRUE(files::write_file(directory.collection() / "holders" / "9.part", "{"));
  const auto command = directory.publish("command", 0);
  EXPECT_EQ(command, Code::kOverloaded);
  EXPECT_NE(command.error().message().find("holders/2"), std::string::npos) << command.error().message();
  const auto second = directory.lease("c");
  EXPECT_EQ(second->epoch(), 3u);
  EXPECT_EQ(directory.publish("command", 0), 2u);
  EXPECT_EQ(directory.current(), "2 3\n");
  EXPECT_EQ(directory.publish("a", 1), Code::kUnavailable);
}
TEST(AFencedDirectory, HasNothingOfLeasesIfNoServiceTookOne) {
  Directory directory;
  ASSERT_EQ(directory.publish("command", 0), 1u);
  EXPECT_EQ(directory.current(), "1\n");
  for (const char* name : {"holders", "writing", "scratch"}) EXPECT_FALSE(fs::exists(directory.collection() / name));
}

}  // namespace
}  // namespace frond::repository
