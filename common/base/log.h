#pragma once
// Logs are one JSON object a line on stderr: {"time":…,"level":…,"process":…,"message":…, and the fields}.
// A Logger is passed in; it is thread-safe. Never logs query text above level debug.
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
  // `process` is the binary's name. Lines below `level` are dropped.
  Logger(std::string process, LogLevel level);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void log(LogLevel level, std::string_view message, Fields fields = {});
  void debug(std::string_view message, Fields fields = {}) { log(LogLevel::kDebug, message, fields); }
  void info(std::string_view message, Fields fields = {}) { log(LogLevel::kInfo, message, fields); }
  void warn(std::string_view message, Fields fields = {}) { log(LogLevel::kWarn, message, fields); }
  void error(std::string_view message, Fields fields = {}) { log(LogLevel::kError, message, fields); }

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace frond
