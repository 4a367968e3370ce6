#pragma once
// Time is a parameter. A Clock is asked, never std::chrono's own, so that tests move it by hand; a Deadline is a point
// on it.
#include <algorithm>
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

// When an answer is of no more use. Crosses the wire as a span of microseconds, so clocks need not agree.
class Deadline {
 public:
  static Deadline never() { return Deadline(Instant::max()); }
  static Deadline at(Instant when) { return Deadline(when); }
  static Deadline after(const Clock& clock, std::chrono::microseconds span) { return Deadline(clock.now() + span); }
  bool passed(const Clock& clock) const { return when_ != Instant::max() && clock.now() >= when_; }
  std::chrono::microseconds left(const Clock& clock) const {
    if (when_ == Instant::max()) return std::chrono::microseconds::max();
    return std::max(std::chrono::microseconds(0),
                    std::chrono::duration_cast<std::chrono::microseconds>(when_ - clock.now()));
  }
  Instant when() const { return when_; }

 private:
  explicit Deadline(Instant when) : when_(when) {}
  Instant when_;
};

}  // namespace frond
