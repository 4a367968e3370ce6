#pragma once
// How far a command is, on stderr: in place on a terminal, else a line now and then. One thread.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace frond::tools {

class Progress {
 public:
  // Nothing is printed with `quiet`.
  Progress(std::string command, bool quiet);
  // `total` 0: it is not known.
  void show(std::uint64_t done, std::uint64_t total);
  void say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  const std::string command_;
  const bool quiet_, terminal_;
  bool open_ = false;  // a line without an end stands there
  Clock::time_point begun_ = Clock::now(), shown_ = begun_;
};

}  // namespace frond::tools
