#include "common/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

namespace frond {

struct Logger::Sink {
  std::string process;
  spdlog::logger logger;
};

namespace {
spdlog::level::level_enum spdlog_level(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                   spdlog::level::err};
  return kLevels[static_cast<int>(level)];
}
// Quoted and escaped; bytes that are not UTF-8 are replaced, so that a log line is always valid JSON.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
}  // namespace

Logger::Logger(std::string process, LogLevel level)
    : sink_(new Sink{std::move(process), spdlog::logger("frond", std::make_shared<spdlog::sinks::stderr_sink_mt>())}) {
  sink_->logger.set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  sink_->logger.set_level(spdlog_level(level));
  sink_->logger.flush_on(spdlog::level::warn);
}
Logger::~Logger() = default;

void Logger::log(LogLevel level, std::string_view message, Fields fields) {
  if (!sink_->logger.should_log(spdlog_level(level))) return;
  std::string line = "\"process\":" + json_text(sink_->process) + ",\"message\":" + json_text(message);
  for (const auto& [key, value] : fields) line += "," + json_text(key) + ":" + json_text(value);
  sink_->logger.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace frond
