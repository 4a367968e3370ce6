#include "common/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "common/base/line_writer.h"

namespace frond {
namespace {

constexpr const char* kPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum spdlog_level(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                   spdlog::level::err};
  return kLevels[static_cast<int>(level)];
}
// Quoted and escaped; bytes that are not UTF-8 are replaced, so that a log line is always valid JSON.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
// What follows time and level.
std::string body_of(std::string_view process, std::string_view message, Logger::Fields fields) {
  std::string line = "\"process\":" + json_text(process) + ",\"message\":" + json_text(message);
  for (const auto& [key, value] : fields) line += "," + json_text(key) + ":" + json_text(value);
  return line;
}
std::string text_of(const spdlog::memory_buf_t& formatted) { return {formatted.data(), formatted.size()}; }

// The line in place of dropped ones, in the same format. On the writer's thread.
std::string gap_line(std::string_view process, std::uint64_t lines) {
  const std::string body =
      body_of(process, "log lines were dropped here: stderr was not read in time", {{"lines", std::to_string(lines)}});
  spdlog::pattern_formatter formatter(kPattern, spdlog::pattern_time_type::utc);
  spdlog::memory_buf_t formatted;
  formatter.format({spdlog::string_view_t(), spdlog::level::warn, spdlog::string_view_t(body.data(), body.size())},
                   formatted);
  return text_of(formatted);
}

}  // namespace

// Formats with spdlog and hands the line to the writer.
class Logger::Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink(const std::string& process, std::size_t buffer_bytes)
      : writer_(STDERR_FILENO, buffer_bytes, [process](std::uint64_t lines) { return gap_line(process, lines); }) {}
  const LineWriter& writer() const { return writer_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    writer_.write(text_of(formatted));
  }
  void flush_() override {}

 private:
  LineWriter writer_;
};

struct Logger::State {
  std::string process;
  std::shared_ptr<Sink> sink;
  spdlog::logger logger;
  std::string more;  // the end of each line's body
};

Logger::Logger(std::string process, LogLevel level, std::size_t buffer_bytes) {
  auto sink = std::make_shared<Sink>(process, buffer_bytes);
  state_.reset(new State{std::move(process), sink, spdlog::logger("frond", sink), {}});
  state_->logger.set_pattern(kPattern, spdlog::pattern_time_type::utc);
  state_->logger.set_level(spdlog_level(level));
}
Logger::Logger(const Logger& other, std::string_view field, std::string_view value)
    : state_(new State{other.state_->process, other.state_->sink, other.state_->logger,
                       other.state_->more + "," + json_text(field) + ":" + json_text(value)}) {}
Logger::~Logger() = default;

void Logger::log(LogLevel level, std::string_view message, Fields fields) {
  if (!state_->logger.should_log(spdlog_level(level))) return;
  const std::string line = body_of(state_->process, message, fields) + state_->more;
  state_->logger.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

std::uint64_t Logger::dropped() const { return state_->sink->writer().dropped(); }
void Logger::flush(std::chrono::milliseconds patience) const { state_->sink->writer().flush(patience); }

}  // namespace frond
