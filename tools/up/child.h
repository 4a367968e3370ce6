#pragma once
// One program that `frond up` runs: started, its output taken, its end seen. One thread.
//
// It has a process group of its own, so that Ctrl-C reaches `frond up` alone, which ends its programs in order. If
// `frond up` dies, the system sends it SIGTERM. What it writes to stderr goes through a pipe to a file of limited size,
// and its last lines are kept.
#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::tools::up {

struct Command {
  std::string name;  // of the program for people, and of its log
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

// How a process ended.
struct Ended {
  int code = 0;    // its exit code, if …
  int signal = 0;  // … this is 0
  bool well() const { return code == 0 && signal == 0; }
  std::string text() const;  // "exit code 2", "signal 9 (Killed)"
};

// Writes to stdout or stderr, as far as nobody has to be waited for: what a reader that stands still leaves no room for
// is dropped. (common/base/line_writer.h has a thread, and this process forks.)
void put(int descriptor, std::string_view text);

class Child {
 public:
  static constexpr std::size_t kLastLines = 12, kMaxLineBytes = 2000, kMaxLogBytes = 8 << 20;

  // `folder`: where it runs, so that its arguments may be relative to it. `log`: the file for its stderr; empty: this
  // process's stderr. `inherited`: a descriptor that it holds open.
  Child(Command command, std::filesystem::path folder, std::filesystem::path log, int inherited)
      : command_(std::move(command)), folder_(std::move(folder)), log_(std::move(log)), inherited_(inherited) {}
  // Kills it, if it runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const Command& command() const { return command_; }
  const std::filesystem::path& log() const { return log_; }
  bool running() const { return pid_ > 0; }
  // REQUIRES: it does not run. kUnavailable: no process can be made.
  Result<void> start();
  void signal(int number) const;
  // To be called when output() is readable. -1: it does not run.
  int output() const { return running() ? pipe_.get() : -1; }
  void take_output();
  // How it ended, once, after all that it wrote was taken; empty: it runs.
  std::optional<Ended> reap();
  const std::deque<std::string>& last_lines() const { return lines_; }

 private:
  void keep(std::string_view bytes);
  void write_log(std::string_view bytes);

  const Command command_;
  const std::filesystem::path folder_, log_;
  const int inherited_;
  pid_t pid_ = 0;
  files::Descriptor pipe_, file_;
  std::size_t log_bytes_ = 0;
  std::string line_;  // the last one, as far as it came
  std::deque<std::string> lines_;
};

}  // namespace frond::tools::up
