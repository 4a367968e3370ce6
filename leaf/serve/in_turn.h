#pragma once
// Runs functions one at a time, in the order in which they were given, and holds no lock while one runs.
#include <deque>
#include <exception>
#include <functional>
#include <utility>

#include "common/base/mutex.h"

namespace frond::leaf::serve {

class InTurn {
 public:
  // Runs `what`, and what other threads give meanwhile. If a function runs already, its thread runs `what` next,
  // perhaps after this has returned. An exception that a function throws is discarded. Any thread; functions may call
  // it.
  void run(std::function<void()> what) {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back(std::move(what));
      if (std::exchange(running_, true)) return;
    }
    while (const std::function<void()> one = next()) {
      try {
        one();
      } catch (const std::exception&) {  // out of memory: the others have their turns
      }
    }
  }

 private:
  // Empty: nothing waits, and this thread runs no more.
  std::function<void()> next() {
    const MutexLock lock(mutex_);
    running_ = !waiting_.empty();
    if (!running_) return {};
    std::function<void()> one = std::move(waiting_.front());
    waiting_.pop_front();
    return one;
  }

  Mutex mutex_;
  std::deque<std::function<void()>> waiting_ FROND_GUARDED_BY(mutex_);
  bool running_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::leaf::serve
