#pragma once
// Several threads that work on one task, whose error is the first one of any of them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/machine.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "common/base/threads/thread_name.h"

namespace frond {

// The first error is the task's error, and stops all threads. A stop from outside (a signal) stops them, too. Any
// thread.
class FirstError {
 public:
  explicit FirstError(std::stop_token outside = {}) : forward_(outside, [this] { stop_.request_stop(); }) {}
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

// Threads with names that end when their work does. What they return goes to `error`, whose token stops what they wait
// for. One thread calls.
class ThreadGroup {
 public:
  explicit ThreadGroup(FirstError& error) : error_(error) {}
  // work: Result<void>(). If the system has no more threads, that is an error as the work's own would be.
  template <class Work>
  void begin(std::string name, Work work) {
    error_.guard([&]() -> Result<void> {
      threads_.emplace_back([&error = error_, name = std::move(name), work = std::move(work)]() mutable {
        name_this_thread(name.c_str());
        error.guard(work);
      });
      return {};
    });
  }
  // Waits until all have ended, as the destructor does.
  void join() { threads_.clear(); }

 private:
  FirstError& error_;
  std::vector<std::jthread> threads_;
};

// Calls work(i), or work(i, thread), for each i below `count`, on at most `threads` threads: the caller's, which is
// number 0, and threads of the pool. Where the system has no more of them, the others do it all. After an error or a
// stop no more is begun.
template <class Work>
Result<void> in_parallel(TaskPool& pool, FirstError& error, std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto some = [&](std::size_t thread) {
    for (std::size_t i = next++; i < count && !error.token().stop_requested(); i = next++)
      error.guard([&]() -> Result<void> {
        if constexpr (std::is_invocable_v<Work, std::size_t, std::size_t>)
          return work(i, thread);
        else
          return work(i);
      });
  };
  {
    OrderedTasks<bool> others(pool, 0);
    try {
      for (std::size_t i = 1; i < std::min(count, threads); ++i)
        others.begin(0, [&some](std::size_t worker) -> Result<bool> {
          some(worker + 1);
          return true;
        });
    } catch (const std::exception&) {  // no thread, or no memory
    }
    some(0);
  }
  return error.result();
}

// The same on threads of its own, which take the caller's name and priority.
template <class Work>
Result<void> in_parallel(FirstError& error, std::size_t count, std::size_t threads, const Work& work) {
  TaskPool pool({}, std::max<std::size_t>(threads, 2) - 1);
  return in_parallel(pool, error, count, threads, work);
}
template <class Work>
Result<void> in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  FirstError error;
  return in_parallel(error, count, threads, work);
}

// How many threads so much work is worth, on this machine.
inline std::size_t threads_for(std::size_t items, std::size_t items_each) {
  const std::size_t most = std::clamp(this_machine().cores, 1u, 16u);
  return std::clamp<std::size_t>(items / items_each, 1, most);
}

}  // namespace frond
