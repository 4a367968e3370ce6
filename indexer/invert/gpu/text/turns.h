#pragma once
// Steps that several threads take one after the other, by their numbers.
#include <condition_variable>
#include <cstdint>
#include <optional>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::indexer::invert::gpu {

// Any thread.
class Turns {
 public:
  // Waits until all steps with lower numbers, from 0 on, have ended. After a failure: the first one.
  Result<void> begin(std::uint64_t number) {
    MutexLock lock(mutex_);
    changed_.wait(lock.mutex(), [&]() FROND_REQUIRES(mutex_) { return failure_ || next_ == number; });
    if (failure_) return *failure_;
    return {};
  }
  void end() {
    const MutexLock lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  // No step begins any more.
  void fail(const Error& why) {
    const MutexLock lock(mutex_);
    if (!failure_) failure_ = why;
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t next_ FROND_GUARDED_BY(mutex_) = 0;
  std::optional<Error> failure_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::indexer::invert::gpu
