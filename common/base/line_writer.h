#pragma once
// Writes lines to a file descriptor on its own thread, so that callers never wait for the reader. (A pipe that is not
// read is full after 64 KiB, and then blocks its writer for ever.)
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
  // Makes the line that is written in place of `lines` dropped lines.
  using GapLine = std::function<std::string(std::uint64_t lines)>;

  // Keeps at most `max_bytes` of lines that wait to be written. `fd` is borrowed.
  LineWriter(int fd, std::size_t max_bytes, GapLine gap_line);
  // Waits a second at most for the lines taken. What is left then stays with the thread, which ends with the process.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Takes a line, which ends with a line feed, or drops it if too much waits already. Lines are written whole and in
  // order, with a gap line wherever some were dropped. Any thread.
  void write(std::string line);
  // Lines that were dropped, or could not be written because the reader had closed the descriptor.
  std::uint64_t dropped() const;
  // Waits until every line taken is written or dropped; false if that takes longer than `patience`. Any thread.
  bool flush(std::chrono::milliseconds patience) const;

 private:
  struct State;
  static void run(State& state);
  const std::shared_ptr<State> state_;  // the thread's too: it may outlive this
  std::thread thread_;
};

// Writes `text` to stderr after the lines that this process's LineWriters still hold, and gives up after two seconds if
// stderr is not read. For the last message of a process. Any thread; takes no lock.
void write_stderr(std::string_view text);

}  // namespace frond
