#include "common/base/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <nlohmann/json.hpp>

#include "common/base/line_writer.h"

namespace frond {
namespace {

// Quoted and escaped; bytes that are not UTF-8 are replaced, so that a log line is always valid JSON.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Now, UTC: {"time":"2026-01-31T23:59:59.999Z","level":"info","process":…,"message":…, fields and `more`}
std::string line_of(LogLevel level, std::string_view process, std::string_view message, Logger::Fields fields,
                    std::string_view more) {
  constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  std::array<char, 96> front{};
  const std::size_t dated = std::strftime(front.data(), front.size(), "{\"time\":\"%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(front.data() + dated, front.size() - dated, ".%03ldZ\",\"level\":\"%s\",", now.tv_nsec / 1'000'000,
                kLevels[static_cast<int>(level)]);
  std::string line = front.data();
  line += "\"process\":" + json_text(process) + ",\"message\":" + json_text(message);
  for (const auto& [key, value] : fields) line += "," + json_text(key) + ":" + json_text(value);
  return line.append(more).append("}\n");
}

// Set by a signal.
std::atomic<bool> everything{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

struct Logger::State {
  std::string process;
  LogLevel level;
  std::shared_ptr<LineWriter> writer;
  std::string more;  // the end of each line
};

Logger::Logger(std::string process, LogLevel level, std::size_t buffer_bytes) {
  const auto gap_line = [process](std::uint64_t lines) {
    return line_of(LogLevel::kWarn, process, "log lines were dropped here: stderr was not read in time",
                   {{"lines", std::to_string(lines)}}, {});
  };
  auto writer = std::make_shared<LineWriter>(STDERR_FILENO, buffer_bytes, gap_line);
  state_.reset(new State{std::move(process), level, std::move(writer), {}});
}
Logger::Logger(const Logger& other, std::string_view field, std::string_view value) : state_(new State(*other.state_)) {
  state_->more += "," + json_text(field) + ":" + json_text(value);
}
Logger::~Logger() = default;

void Logger::log(LogLevel level, std::string_view message, Fields fields) {
  if (level >= state_->level || everything.load(std::memory_order_relaxed))
    state_->writer->write(line_of(level, state_->process, message, fields, state_->more));
}

void Logger::follow_signals() {
  std::signal(SIGUSR1, [](int) { everything.store(true, std::memory_order_relaxed); });
  std::signal(SIGUSR2, [](int) { everything.store(false, std::memory_order_relaxed); });
}

std::uint64_t Logger::dropped() const { return state_->writer->dropped(); }
void Logger::flush(std::chrono::milliseconds patience) const { state_->writer->flush(patience); }

}  // namespace frond
