// Programs that are scripts of the shell.
#include "tools/up/supervisor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/support/scratch_folder.h"

namespace frond::tools::up {
namespace {
using support::ScratchFolder;
using Attended = Supervisor::Attended;

class ASupervisor : public testing::Test {
 protected:
  std::unique_ptr<Child> child(const std::string& name, const std::string& script) const {
    return std::make_unique<Child>(Command{name, "/bin/sh", {"-c", script}}, scratch_.path(),
                                   scratch_ / (name + ".log"), STDERR_FILENO);
  }
  bool said(const std::string& what) const { return said_.find(what) != std::string::npos; }
  bool is_there(const std::string& file) const { return std::filesystem::exists(scratch_ / file); }
  // Ends the run once `done`.
  auto until(std::function<bool()> done) const {
    return [done = std::move(done)]() -> Result<Attended> {
      if (!done()) return Attended::kAgain;
      ::kill(::getpid(), SIGTERM);
      return Attended::kDone;
    };
  }

  const ScratchFolder scratch_;
  std::string said_;
  const std::unique_ptr<Supervisor> supervisor_ =
      *Supervisor::create([this](const std::string& line) { said_ += line + "\n"; });
};

TEST_F(ASupervisor, StartsAProgramAgainAndShowsItsLastLines) {
  const auto one =
      child("one", "echo first >>starts; echo a line >&2; test $(wc -l <starts) -gt 2 && exec sleep 60; exit 3");
  const auto outcome =
      supervisor_->run({one.get()}, until([&] { return support::read_file(scratch_ / "starts").size() == 18; }));
  EXPECT_TRUE(outcome);
  EXPECT_TRUE(said("one ended with exit code 3; it is started again in 250 ms")) << said_;
  EXPECT_TRUE(said("one ended with exit code 3; it is started again in 500 ms")) << said_;
  EXPECT_TRUE(said("  one: a line")) << said_;
  EXPECT_EQ(support::read_file(scratch_ / "one.log").substr(0, 14), "a line\na line\n");
}

TEST(WhatIsPut, WaitsForNoReader) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const std::string line(1000, 'x');
  put(ends[1], line);
  std::string read(100'000, '\0');
  EXPECT_EQ(::read(ends[0], read.data(), read.size()), 1000);
  ::fcntl(ends[1], F_SETFL, 0);  // from here on a write waits
  for (int i = 0; i < 200; ++i) put(ends[1], line);
  EXPECT_GE(::read(ends[0], read.data(), read.size()), 50'000);
  ::close(ends[0]);
  put(ends[1], line);  // and there is no SIGPIPE
  ::close(ends[1]);
}

TEST_F(ASupervisor, EndsTheLastProgramFirst) {
  const auto script = [](const std::string& name) {
    return "trap 'echo " + name + " >>ends; exit 0' TERM; touch " + name + "; while :; do sleep 0.05; done";
  };
  const auto one = child("one", script("one")), two = child("two", script("two"));
  EXPECT_TRUE(supervisor_->run({one.get(), two.get()}, until([&] { return is_there("one") && is_there("two"); })));
  EXPECT_EQ(support::read_file(scratch_ / "ends"), "two\none\n");
  EXPECT_FALSE(one->running() || two->running());
}

TEST_F(ASupervisor, GivesUpOnAProgramThatRefusesItsFlagsAndEndsTheOthers) {
  const auto good = child("good", "exec sleep 60");
  const auto bad = child("bad", "echo --flag: it is wrong >&2; exit 2");
  const auto outcome = supervisor_->run({good.get(), bad.get()}, [] { return Result<Attended>(Attended::kAgain); });
  ASSERT_EQ(outcome, Code::kUnavailable);
  EXPECT_NE(outcome.error().message().find("bad ended with exit code 2"), std::string::npos);
  EXPECT_TRUE(said("bad: --flag: it is wrong")) << said_;
  EXPECT_FALSE(good->running());
}

TEST_F(ASupervisor, EndsAllIfThereIsNoSuchProgram) {
  Child none({"none", scratch_ / "nowhere", {}}, scratch_.path(), scratch_ / "none.log", STDERR_FILENO);
  EXPECT_EQ(supervisor_->run({&none}, [] { return Result<Attended>(Attended::kAgain); }), Code::kUnavailable);
  EXPECT_TRUE(said("nowhere: No such file or directory")) << said_;
}

TEST_F(ASupervisor, PassesASignalOnToAProgramThatRunsOnce) {
  const auto good = child("good", "exit 0"), bad = child("bad", "exit 7");
  EXPECT_TRUE((*supervisor_->run_once(*good))->well());
  EXPECT_EQ((*supervisor_->run_once(*bad))->text(), "exit code 7");
  const auto ended = child("ended", "kill -TERM $PPID; exec sleep 60");
  EXPECT_FALSE(supervisor_->run_once(*ended)->has_value());
}

TEST_F(ASupervisor, KeepsNoMoreThanTheLastLinesOfAProgram) {
  const auto many = child("many", "seq 1 1000 >&2; head -c 100000 /dev/zero | tr '\\0' x >&2");
  ASSERT_TRUE(supervisor_->run_once(*many));
  ASSERT_EQ(many->last_lines().size(), Child::kLastLines);
  EXPECT_EQ(many->last_lines().front(), "990");
  EXPECT_EQ(many->last_lines().back(), std::string(Child::kMaxLineBytes, 'x'));
  EXPECT_EQ(std::filesystem::file_size(scratch_ / "many.log"), 3893u + 100'000u);
}

}  // namespace
}  // namespace frond::tools::up
