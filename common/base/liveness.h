#pragma once
// Loops that have to turn for a process to be of use, and what is said when one of them does not. For /livez: a process
// that only its restart can help says so.
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "common/base/deadline.h"

namespace frond {

struct Loop {
  std::string_view name;  // "zeromq", "socket", …: also a metric's label
  Instant turned;         // when it was last known to turn
};

// A sentence about the first loop that has not turned for longer than `limit`; empty: there is none.
inline std::string stalled(std::span<const Loop> loops, Instant now, std::chrono::milliseconds limit) {
  for (const Loop& loop : loops) {
    if (now - loop.turned <= limit) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - loop.turned).count();
    return "the loop '" + std::string(loop.name) + "' has not turned for " + std::to_string(seconds) + " s";
  }
  return {};
}

}  // namespace frond
