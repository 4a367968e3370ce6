#pragma once
// The loops that must keep running for a process to be of use, and the message when one of them hangs. For /livez,
// which reports a process that needs a restart.
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "common/base/deadline.h"

namespace frond {

struct Loop {
  std::string_view name;  // "socket", "search-2", …: also a metric's label
  Instant turned;         // when it last completed a turn
};

// A sentence about the first loop that has not turned for longer than `limit`; empty if there is none.
inline std::string stalled(std::span<const Loop> loops, Instant now, std::chrono::milliseconds limit) {
  for (const Loop& loop : loops) {
    if (now - loop.turned <= limit) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - loop.turned).count();
    return "the loop '" + std::string(loop.name) + "' has not turned for " + std::to_string(seconds) + " s";
  }
  return {};
}

}  // namespace frond
