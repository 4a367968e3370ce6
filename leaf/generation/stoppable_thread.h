#pragma once
// A thread that works, pauses and works again until it is asked to stop, and that may be left behind when it does not
// stop in time. Thread-safe.
#include <chrono>
#include <condition_variable>
#include <thread>
#include <utility>

#include "common/base/mutex.h"

namespace frond::leaf::generation {

class StoppableThread {
 public:
  using Time = std::chrono::steady_clock::time_point;
  StoppableThread() = default;
  ~StoppableThread() {
    static_cast<void>(stop(std::chrono::milliseconds(0)));
    if (thread_.joinable()) thread_.join();
  }
  // Call at most once.
  template <class Run>
  void start(Run run) {
    {
      const MutexLock lock(mutex_);
      ended_ = false;
    }
    thread_ = std::thread([this, run = std::move(run)] {
      run();
      const MutexLock lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    });
  }
  // False: the thread was still working after `patience`. The process may exit anyway.
  bool stop(std::chrono::milliseconds patience) {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!ended_)
      if (changed_.wait_until(lock.mutex(), until) == std::cv_status::timeout) return ended_;
    return true;
  }
  bool stopping() const {
    const MutexLock lock(mutex_);
    return stop_;
  }
  // Ends the pause that the thread is in, or else its next one.
  void wake() {
    const MutexLock lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }
  // The thread alone calls it. False: it stops.
  bool pause_until(Time until) {
    MutexLock lock(mutex_);
    while (!stop_ && !woken_ && changed_.wait_until(lock.mutex(), until) != std::cv_status::timeout) {
    }
    woken_ = false;
    return !stop_;
  }

 private:
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool stop_ FROND_GUARDED_BY(mutex_) = false, woken_ FROND_GUARDED_BY(mutex_) = false;
  bool ended_ FROND_GUARDED_BY(mutex_) = true;
  std::thread thread_;
};

}  // namespace frond::leaf::generation
