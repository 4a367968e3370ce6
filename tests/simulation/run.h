#pragma once
// What all parts of one run share: its clock, its choices, what is to happen, and the verdict. One thread.
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "broker/cluster/timer_queue.h"
#include "common/base/deadline.h"
#include "tests/simulation/random.h"

namespace frond::simulation {

class VirtualClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  void move_to(Instant when) {
    if (when > now_) now_ = when;
  }

 private:
  Instant now_ = Instant(seconds(1'000'000));
};

// The promises that each run is held to; docs/resiliency.md says what they are.
enum class Invariant {
  kRight,
  kInTime,
  kHonest,
  kOnce,
  kCached,
  kBounded,
  kForgotten,
  kWhole,
  kRecovered,
  kAcknowledged,
  kOneWriter,
  kOrder,
};
constexpr const char* name_of(Invariant one) {
  constexpr const char* kNames[] = {"sim-right",     "sim-in-time",      "sim-honest",     "sim-once",
                                    "sim-cached",    "sim-bounded",      "sim-forgotten",  "sim-whole",
                                    "sim-recovered", "sim-acknowledged", "sim-one-writer", "sim-order"};
  return kNames[static_cast<int>(one)];
}

struct Run {
  Run(std::uint64_t of_seed, bool with_trace) : seed(of_seed), random(of_seed), traced(with_trace) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Instant now() const { return clock.now(); }
  void after(microseconds span, std::function<void()> action) { events.after(span, std::move(action)); }
  // `what` gives a line of the trace, if it is wanted.
  template <class What>
  void tell(const What& what) {
    if (traced) lines.push_back(stamp() + what());
  }
  // The first one ends the run.
  void broken(Invariant which, const std::string& how) {
    if (!failure.empty()) return;
    failure = std::string(name_of(which)) + ": " + how;
    tell([&] { return "BROKEN " + failure; });
  }
  bool failed() const { return !failure.empty(); }

  const std::uint64_t seed;
  Random random;
  VirtualClock clock;
  broker::cluster::TimerQueue events{clock};
  const bool traced;
  std::vector<std::string> lines;
  std::string failure;  // empty: all is well

 private:
  std::string stamp() const {
    const auto since = std::chrono::duration_cast<microseconds>(now() - Instant(seconds(1'000'000))).count();
    char text[32];
    std::snprintf(text, sizeof text, "%10.3f ms  ", static_cast<double>(since) / 1000);
    return text;
  }
};

}  // namespace frond::simulation
