#include "tools/commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace frond::tools {

Progress::Progress(std::string command, bool quiet)
    : command_(std::move(command)), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const auto now = Clock::now();
  if (quiet_ || now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10))) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const auto of = total > 0 ? fmt::format(" of {}", total) : std::string();
  const auto line =
      fmt::format("{}{} documents, {:.0f} a second", done, of, static_cast<double>(done) / std::max(seconds, 1e-3));
  if (terminal_)
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  else
    std::fprintf(stderr, "frond %s: %s\n", command_.c_str(), line.c_str());
  open_ = terminal_;
}

void Progress::say(const std::string& line) {
  if (std::exchange(open_, false)) std::fputs("\r\x1b[K", stderr);
  if (!quiet_) std::fprintf(stderr, "frond %s: %s\n", command_.c_str(), line.c_str());
}

}  // namespace frond::tools
