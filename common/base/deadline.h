#pragma once
// Time is a parameter: code asks a Clock, never std::chrono's clocks, so that tests set the time. A Deadline is a point
// in time of such a clock.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace frond {

using Instant = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
};

// A flag that is set once, when an answer is no longer wanted. Any thread.
class Cancellation {
 public:
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

// When an answer stops being of use: at an instant, or when it is cancelled, whichever is first. On the wire it is the
// time left in microseconds, so that clocks of different machines need not agree.
class Deadline {
 public:
  static Deadline never() { return Deadline(Instant::max()); }
  static Deadline at(Instant when) { return Deadline(when); }
  static Deadline after(const Clock& clock, std::chrono::microseconds span) { return Deadline(clock.now() + span); }
  // The same, but also passed once `cancellation` is set.
  // REQUIRES: `cancellation` outlives the deadline and its copies.
  Deadline or_when(const Cancellation& cancellation) const {
    Deadline both = *this;
    both.cancellation_ = &cancellation;
    return both;
  }
  bool passed(const Clock& clock) const { return cancelled() || (when_ != Instant::max() && clock.now() >= when_); }
  bool passed_at(Instant now) const { return cancelled() || now >= when_; }
  bool cancelled() const { return cancellation_ != nullptr && cancellation_->cancelled(); }
  std::chrono::microseconds left(const Clock& clock) const {
    if (cancelled()) return std::chrono::microseconds(0);
    if (when_ == Instant::max()) return std::chrono::microseconds::max();
    return std::max(std::chrono::microseconds(0),
                    std::chrono::duration_cast<std::chrono::microseconds>(when_ - clock.now()));
  }
  Instant when() const { return when_; }
  // Passed when half of the time that is left now is over; likewise cancelled. For what an answer can do without.
  Deadline half(const Clock& clock) const {
    Deadline sooner = *this;
    const Instant now = clock.now();
    if (when_ != Instant::max() && now < when_) sooner.when_ = now + (when_ - now) / 2;
    return sooner;
  }

 private:
  explicit Deadline(Instant when) : when_(when) {}
  Instant when_;
  const Cancellation* cancellation_ = nullptr;
};

}  // namespace frond
