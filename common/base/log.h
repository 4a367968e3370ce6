#pragma once
// Logs are one JSON object a line on stderr: {"time":…,"level":…,"process":…,"message":…, and the fields}.
// A Logger is passed in; it is thread-safe. Query text is logged at level debug only, but for the term of a damaged
// list, and for the queries of slow searches where --slow-query-log asks for them.
//
// Logging never waits for the reader of stderr: the Logger's own thread writes (line_writer.h). If stderr is not read,
// lines wait in a buffer; when it is full, lines are dropped and counted, and one line in their place says so.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace frond {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

class Logger {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;
  static constexpr std::size_t kDefaultBufferBytes = std::size_t{1} << 20;

  // `process` is the binary's name. Lines below `level` are not logged.
  Logger(std::string process, LogLevel level, std::size_t buffer_bytes = kDefaultBufferBytes);
  // The same log; each line has this field, too.
  Logger(const Logger& other, std::string_view field, std::string_view value);
  // Waits up to a second until all logged lines are written.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void log(LogLevel level, std::string_view message, Fields fields = {});
  void debug(std::string_view message, Fields fields = {}) { log(LogLevel::kDebug, message, fields); }
  void info(std::string_view message, Fields fields = {}) { log(LogLevel::kInfo, message, fields); }
  void warn(std::string_view message, Fields fields = {}) { log(LogLevel::kWarn, message, fields); }
  void error(std::string_view message, Fields fields = {}) { log(LogLevel::kError, message, fields); }

  // From now on SIGUSR1 makes all loggers of the process log everything, and SIGUSR2 what they were made for.
  static void follow_signals();

  // Lines that were lost: the buffer was full, or stderr was closed at the other end.
  std::uint64_t dropped() const;
  // Waits until all logged lines are written, at most `patience`. For a process that ends without destructors.
  void flush(std::chrono::milliseconds patience) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond
