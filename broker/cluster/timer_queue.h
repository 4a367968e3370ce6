#pragma once
// Actions to run at an instant on the broker's one thread: deadlines, polls, hedges. An Asio timer runs them in the
// process (timer_driver.h), a clock that tests move in tests; nothing here waits.
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
  // Runs `action` from a later run_due(), never from inside at(). Instant::max() means never.
  Id at(Instant when, std::function<void()> action);
  Id after(std::chrono::microseconds span, std::function<void()> action) {
    return at(clock_.now() + span, std::move(action));
  }
  // Removes the action; does nothing if it has run.
  void cancel(const Id& id) { actions_.erase(id); }
  // Runs all actions due now, in order of time, and those that they add for now.
  void run_due();
  // The instant of the next action; Instant::max(): there is none.
  Instant next() const { return actions_.empty() ? Instant::max() : actions_.begin()->first.first; }
  // `wake` is called whenever next() becomes earlier.
  void on_sooner(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  const Clock& clock_;
  std::map<Id, std::function<void()>> actions_;
  std::uint64_t next_id_ = 1;
  std::function<void()> wake_;
};

}  // namespace frond::broker::cluster
