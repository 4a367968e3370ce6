#pragma once
// Actions to run at an instant on the broker's one thread: deadlines, polls, hedges. An Asio timer runs them in the
// process, a clock that tests move in tests; nothing here waits.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "common/base/deadline.h"

namespace boost::asio {
class io_context;
}

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

// Runs an action at an interval for as long as this object exists.
class Repeating {
 public:
  Repeating(TimerQueue& timers, std::chrono::microseconds interval, std::function<void()> action)
      : timers_(timers), interval_(interval), action_(std::move(action)) {
    plan();
  }
  ~Repeating() { timers_.cancel(next_); }
  Repeating(const Repeating&) = delete;
  Repeating& operator=(const Repeating&) = delete;

 private:
  void plan() {
    next_ = timers_.after(interval_, [this] {
      plan();
      action_();
    });
  }

  TimerQueue& timers_;
  const std::chrono::microseconds interval_;
  const std::function<void()> action_;
  TimerQueue::Id next_;
};

// Runs a TimerQueue from an Asio loop.
class TimerDriver {
 public:
  TimerDriver(boost::asio::io_context& io, TimerQueue& timers);
  ~TimerDriver();
  TimerDriver(const TimerDriver&) = delete;
  TimerDriver& operator=(const TimerDriver&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Runs functions on the thread that owns an object. The broker's threads share caches, places and flights; what one of
// them ends may concern a search of another, whose objects only that thread may touch.
class HomeThread {
 public:
  virtual ~HomeThread() = default;
  // Whether the caller runs on it.
  virtual bool is_here() const = 0;
  // Runs `action` there later, and destroys it there. Any thread.
  virtual void post(std::function<void()> action) = 0;
  // Runs `action` there: now if the caller is there, else later.
  void run(std::function<void()> action) {
    if (is_here()) return action();
    post(std::move(action));
  }
};

// For a broker of one thread: everything is there.
class OnlyThread final : public HomeThread {
 public:
  bool is_here() const override { return true; }
  void post(std::function<void()> action) override { action(); }
};

}  // namespace frond::broker::cluster
