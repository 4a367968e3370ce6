#pragma once
// Logs are one JSON object a line on stderr: {"time":…,"level":…,"process":…,"message":…, and the fields}.
// A Logger is passed in; it is thread-safe. Never logs query text above level debug, but for a term whose list is
// damaged.
//
// Whoever logs never waits for whoever reads: a thread of the Logger's writes (line_writer.h). Where nobody reads, so
// much waits as the buffer holds; later lines are dropped and counted, and a line says so where they are missing.
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
  static constexpr std::size_t kUsualBuffer = std::size_t{1} << 20;

  // `process` is the binary's name. Lines below `level` are not logged.
  Logger(std::string process, LogLevel level, std::size_t buffer_bytes = kUsualBuffer);
  // Waits a second at most for what was logged to be written.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void log(LogLevel level, std::string_view message, Fields fields = {});
  void debug(std::string_view message, Fields fields = {}) { log(LogLevel::kDebug, message, fields); }
  void info(std::string_view message, Fields fields = {}) { log(LogLevel::kInfo, message, fields); }
  void warn(std::string_view message, Fields fields = {}) { log(LogLevel::kWarn, message, fields); }
  void error(std::string_view message, Fields fields = {}) { log(LogLevel::kError, message, fields); }

  // Lines that nobody will ever read: there was no room for them, or the reader has gone.
  std::uint64_t dropped() const;
  // Waits until what was logged is written, at most so long; for a process that ends without destructors.
  void flush(std::chrono::milliseconds patience) const;

 private:
  class Sink;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frond
