#pragma once
// What runs on the processors now, and when it is predicted to end. Times are nanoseconds of a steady clock. All memory
// is allocated by the constructors. Not thread-safe.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/base/deadline.h"
#include "leaf/schedule/indexed_heap.h"

namespace frond::leaf::schedule {

inline constexpr std::int64_t kNeverNs = std::numeric_limits<std::int64_t>::max();
inline std::int64_t ns_of(Instant time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
inline Instant instant_of(std::int64_t ns) { return Instant(std::chrono::nanoseconds(ns)); }
inline double us_of(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

// The CPU's workers, one job each.
class BusyWorkers {
 public:
  // A worker that is later than predicted by less than this may be free at once. One that is later still is expected to
  // take as long again as it is late: of what it does only that is known.
  static constexpr std::int64_t kMinOverrunNs = 1'000'000;

  explicit BusyWorkers(std::uint32_t workers) : ends_(workers), end_of_(workers, kIdle) {
    for (std::uint32_t i = workers; i-- > 0;) idle_.push_back(i);
    count_ = workers;
  }
  std::uint32_t count() const { return count_; }
  bool any_idle() const { return !idle_.empty(); }
  // How long until a worker is free; 0: one is idle, or is later than predicted. There are workers.
  std::int64_t wait(std::int64_t now) const {
    return any_idle() ? 0 : std::max<std::int64_t>(0, ends_.top_key() - now);
  }
  // The same, but a worker that is later than predicted is not expected to be free at once.
  std::int64_t wait_with_overruns(std::int64_t now) const {
    if (any_idle() || ends_.top_key() >= now) return wait(now);
    std::int64_t least = kNeverNs;
    for (const std::int64_t end : end_of_) least = std::min(least, free_after(end, now));
    return least;
  }
  // From when on wait_with_overruns() is above `limit`, at least 0, if no worker ends before. All are busy.
  std::int64_t wait_above(std::int64_t limit, std::int64_t now) const {
    const std::int64_t late = std::max(limit, kMinOverrunNs);
    std::int64_t from = now;
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::int64_t end : end_of_)
        if (free_after(end, from) <= limit) {
          from = end + late + 1;
          moved = true;
        }
    }
    return from;
  }
  // A worker that was idle; it ends at `end`. REQUIRES: one is idle.
  std::uint32_t start(std::int64_t end) {
    FROND_CHECK(!idle_.empty());
    const std::uint32_t worker = idle_.back();
    idle_.pop_back();
    ends_.push(worker, end);
    end_of_[worker] = end;
    return worker;
  }
  void finish(std::uint32_t worker) {
    ends_.erase(worker);
    end_of_[worker] = kIdle;
    idle_.push_back(worker);
  }

 private:
  static constexpr std::int64_t kIdle = std::numeric_limits<std::int64_t>::min();
  static std::int64_t free_after(std::int64_t end, std::int64_t now) {
    return end >= now ? end - now : now - end < kMinOverrunNs ? 0 : now - end;
  }

  IndexedHeap ends_;                  // of busy workers
  std::vector<std::int64_t> end_of_;  // by worker; kIdle: it is idle
  std::vector<std::uint32_t> idle_;
  std::uint32_t count_ = 0;
};

// The GPU's streams, one batch each. A batch starts after the time of a launch, during which the device works on other
// batches; the work of all batches shares the device, so together it takes as long as one after the other.
class BusyStreams {
 public:
  BusyStreams(std::uint32_t streams, std::int64_t launch) : streams_(streams), launch_(launch) {}
  std::uint32_t count() const { return static_cast<std::uint32_t>(streams_.size()); }
  std::uint32_t busy() const { return busy_; }
  bool any_idle() const { return busy_ < count(); }
  // No stream takes a batch any more. Batches that run are finished as usual.
  void close() { closed_ = true; }
  bool open() const { return !closed_ && !streams_.empty(); }

  // When a stream is free, and when the device has done what runs: now or later.
  std::int64_t free_at(std::int64_t now) const {
    if (any_idle()) return now;
    std::int64_t least = kNeverNs;
    for (const Stream& stream : streams_) least = std::min(least, stream.end);
    return std::max(now, least);
  }
  std::int64_t device_free_at(std::int64_t now) const { return busy_ == 0 ? now : std::max(now, device_free_at_); }
  // When a batch of this work would end, if it starts as soon as a stream is free.
  std::int64_t end_of(std::int64_t now, std::int64_t work) const {
    return std::max(free_at(now) + launch_, device_free_at(now)) + work;
  }
  // Returns the number of the stream. REQUIRES: any_idle().
  std::uint32_t start(std::int64_t now, std::int64_t work) {
    const auto idle = std::find_if(streams_.begin(), streams_.end(), [](const Stream& one) { return !one.busy; });
    FROND_CHECK(idle != streams_.end());
    device_free_at_ = end_of(now, work);
    *idle = {true, work, device_free_at_};
    outstanding_ += work;
    ++busy_;
    return static_cast<std::uint32_t>(idle - streams_.begin());
  }
  void finish(std::uint32_t number, std::int64_t now) {
    FROND_CHECK(streams_[number].busy);
    outstanding_ -= streams_[number].work;
    streams_[number] = {};
    --busy_;
    device_free_at_ = std::min(device_free_at_, now + outstanding_);  // the others have no more work than that
  }

 private:
  struct Stream {
    bool busy = false;
    std::int64_t work = 0, end = 0;
  };
  std::vector<Stream> streams_;
  const std::int64_t launch_;
  std::int64_t device_free_at_ = 0, outstanding_ = 0;  // outstanding_: work of the batches that run
  std::uint32_t busy_ = 0;
  bool closed_ = false;
};

}  // namespace frond::leaf::schedule
