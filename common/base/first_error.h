#pragma once
// For threads that work on one task: the first error is the task's error, and stops all threads. A stop from outside (a
// signal) stops them, too.
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond {

// Any thread.
class FirstError {
 public:
  explicit FirstError(std::stop_token outside) : forward_(outside, [this] { stop_.request_stop(); }) {}
  std::stop_token token() const { return stop_.get_token(); }
  void fail(Error error) {
    {
      MutexLock lock(mutex_);
      if (!error_) error_ = std::move(error);
    }
    stop_.request_stop();
  }
  // Runs a thread's work, and keeps the error that it returns, or an exception (of the allocator).
  template <class Work>
  void guard(Work&& work) {
    try {
      Result<void> done = work();
      if (!done) fail(std::move(done).error());
    } catch (const std::exception& thrown) {
      fail(Error(Code::kUnavailable, thrown.what()));
    }
  }
  // Called when the threads have ended. Gives the first error, or kUnavailable "stopped" after a stop from outside.
  Result<void> result() {
    MutexLock lock(mutex_);
    if (error_) return *error_;
    if (stop_.stop_requested()) return Error(Code::kUnavailable, "stopped");
    return {};
  }

 private:
  Mutex mutex_;
  std::optional<Error> error_ FROND_GUARDED_BY(mutex_);
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forward_;
};

}  // namespace frond
