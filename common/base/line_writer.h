#pragma once
// Lines to a file descriptor by a thread of its own, so that whoever writes them never waits for whoever reads them: a
// pipe that nobody reads is full after 64 KiB, and a write to it then takes for ever.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace frond {

class LineWriter {
 public:
  // The line that stands where `lines` of them are missing.
  using GapLine = std::function<std::string(std::uint64_t lines)>;

  // At most `max_bytes` wait to be written. `fd` is borrowed.
  LineWriter(int fd, std::size_t max_bytes, GapLine gap_line);
  // Waits for what was given, some time; what is not taken by then is left to the thread, which ends with the process.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Any thread. Takes the line, which ends with a line feed; drops it where too much waits already. Lines come out
  // whole and in the order in which they were taken, and a gap line where some were dropped.
  void write(std::string line);
  // Lines that were dropped, or that the descriptor did not take (its reader has gone).
  std::uint64_t dropped() const;
  // True when all that was given is written, or dropped; false: not within `patience`. Any thread.
  bool flush(std::chrono::milliseconds patience) const;

 private:
  struct State;
  static void run(State& state);
  const std::shared_ptr<State> state_;  // the thread's too: it may outlive this
  std::thread thread_;
};

// Writes `text` to stderr, behind the lines that LineWriters of this process still have; whole where somebody reads it,
// and gives up after two seconds where nobody does. For a process's last words. Any thread; takes no lock.
void write_stderr(std::string_view text);

}  // namespace frond
