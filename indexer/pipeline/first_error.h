#pragma once
// Several threads work on one thing: the first error is what it failed with, and stops them all. So does a stop from
// outside (a signal).
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::indexer::pipeline {

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
  // Runs a thread's work: what it gives or throws (only the allocator does) is kept.
  template <class Work>
  void guard(Work&& work) {
    try {
      Result<void> done = work();
      if (!done) fail(std::move(done).error());
    } catch (const std::exception& thrown) {
      fail(Error(Code::kUnavailable, thrown.what()));
    }
  }
  // When the threads have ended: the error; kUnavailable "stopped" where the stop came from outside.
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

}  // namespace frond::indexer::pipeline
