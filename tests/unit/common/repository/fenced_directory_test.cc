// A directory that services write with a lease: a writer that was stopped at any step, and goes on, changes nothing. It
// is stopped by whoever takes over in the middle of it.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "common/files/write.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/unit/common/repository/leased_repository.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

class Directory : public LeasedRepository {
 public:
  Directory() : LeasedRepository(Kind::kDirectory) {}
  Result<std::unique_ptr<WriterLease>> acquire(const std::string& machine) {
    auto& there = places_[machine];
    there = place(machine);
    return WriterLease::acquire(*there, watch_, {machine, std::chrono::seconds(10), true, life}, clock_,
                                [](const auto&, std::uint64_t) { return Result<void>(); });
  }
  // Where there is a holder, when its lease has lasted for its length.
  std::unique_ptr<WriterLease> lease(const std::string& machine) {
    auto taken = acquire(machine);
    if (taken == Code::kOverloaded) {
      clock_.advance(std::chrono::seconds(11));
      taken = acquire(machine);
    }
    EXPECT_TRUE(taken) << taken.error().message();
    return *std::move(taken);
  }
  std::uint64_t life = 0;  // with epochs from 1
  fs::path collection() const { return fs::path(root()) / "example"; }
  // What is published: names and sizes, and the content of what is replaced.
  std::map<std::string, std::string> published() const {
    std::map<std::string, std::string> all;
    for (const char* name : {"generations", "partitions"})
      for (const auto& entry : fs::recursive_directory_iterator(collection() / name))
        all[entry.path().string()] = entry.is_directory() ? "" : std::to_string(entry.file_size());
    for (const char* name : {"CURRENT", "HIGHEST"})
      if (const auto text = files::read_text(collection() / name, 64)) all[name] = *text;
    return all;
  }
  void expect_whole() const {
    const auto there = source();
    const auto manifest = there->manifest(there->current().value()).value();
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        EXPECT_EQ(fs::file_size(collection() / partition_file_path(entry, file)), file.bytes);
    EXPECT_EQ(fs::file_size(collection() / term_statistics_path(manifest.generation)), manifest.term_statistics.bytes);
  }

 private:
  support::ManualClock clock_;
  LeaseWatch watch_;
  std::map<std::string, std::unique_ptr<LeasePlace>> places_;
};

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
