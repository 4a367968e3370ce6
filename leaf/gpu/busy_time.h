#pragma once
// For how long a device was at work on our batches, from when each began and ended by the device's own clock. Batches
// of several streams overlap: what two of them were at work on counts once. Any thread; adding allocates nothing.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/mutex.h"

namespace frond::leaf::gpu {

class BusyTime {
 public:
  // Periods that are remembered apart, to find overlaps. Batches may be told of in another order than they ran in, as
  // far as not more periods than so many lie behind one that is still to come: what comes too late is left out.
  static constexpr std::size_t kPeriods = 16;

  BusyTime() { periods_.reserve(kPeriods + 1); }
  // Nanoseconds. Nothing is added where the end is not behind the beginning.
  void add(std::uint64_t began_ns, std::uint64_t ended_ns);
  double seconds() const;

 private:
  struct Period {
    std::uint64_t began, ended;
  };

  mutable Mutex mutex_;
  std::vector<Period> periods_ FROND_GUARDED_BY(mutex_);  // apart from each other, the earliest first
  std::uint64_t forgotten_until_ FROND_GUARDED_BY(mutex_) = 0;
  std::uint64_t busy_ns_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::leaf::gpu
