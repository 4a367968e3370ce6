#pragma once
// Several threads that work on one task.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "common/base/machine.h"
#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond {

// The first error is the task's error, and stops all threads. A stop from outside (a signal) stops them, too. Any
// thread.
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

// Calls work(i) for each i below `count`, on at most `threads` threads, of which the caller's is one. After an error no
// more is begun; gives the first one. Threads take the caller's priority.
template <class Work>
Result<void> in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto some = [&]() -> Result<void> {
    for (std::size_t i = next++; i < count; i = next++) {
      auto done = [&]() -> Result<void> {
        try {
          return work(i);
        } catch (const std::exception& thrown) {
          return Error(Code::kUnavailable, thrown.what());
        }
      }();
      if (done) continue;
      next = count;
      return done;
    }
    return {};
  };
  std::vector<std::future<Result<void>>> others;
  for (std::size_t i = 1; i < std::min(count, threads); ++i) others.push_back(std::async(std::launch::async, some));
  Result<void> outcome = some();
  for (auto& other : others)
    if (auto its = other.get(); !its && outcome) outcome = std::move(its);
  return outcome;
}

// How many threads so much work is worth, on this machine.
inline std::size_t threads_for(std::size_t items, std::size_t items_each) {
  const std::size_t most = std::clamp(this_machine().cores, 1u, 16u);
  return std::clamp<std::size_t>(items / items_each, 1, most);
}

}  // namespace frond
