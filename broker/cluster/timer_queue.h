#pragma once
// What is to happen at an instant, on the broker's one thread: deadlines, polls, hedges. Driven from outside, by an
// Asio timer in the process (timer_driver.h) and by the fake clock in tests, so that nothing here ever waits.
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "common/base/deadline.h"

namespace frond::broker::cluster {

class TimerQueue {
 public:
  using Id = std::pair<Instant, std::uint64_t>;  // unique; the instant first, so that the map is in order of time

  explicit TimerQueue(const Clock& clock) : clock_(clock) {}
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  const Clock& clock() const { return clock_; }
  // Runs `action` from a later run_due(), never from inside at(). Instant::max() is never.
  Id at(Instant when, std::function<void()> action);
  Id after(std::chrono::microseconds span, std::function<void()> action) {
    return at(clock_.now() + span, std::move(action));
  }
  // Forgets it; harmless if it has run.
  void cancel(const Id& id) { actions_.erase(id); }
  // Runs everything due now, in order of time; what it adds for now runs too.
  void run_due();
  // When run_due() has something to do next; Instant::max() if never.
  Instant next() const { return actions_.empty() ? Instant::max() : actions_.begin()->first.first; }
  // Called whenever next() comes closer.
  void on_sooner(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  const Clock& clock_;
  std::map<Id, std::function<void()>> actions_;
  std::uint64_t next_id_ = 1;
  std::function<void()> wake_;
};

}  // namespace frond::broker::cluster
