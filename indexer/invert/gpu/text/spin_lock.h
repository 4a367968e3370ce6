#pragma once
// A lock that is held for less time than a thread takes to sleep and wake: with a mutex, each meeting of two threads
// costs tens of microseconds.
#include <atomic>
#include <thread>

#include "common/base/mutex.h"

namespace frond::indexer::invert::gpu {

// Who waits for long, since the holder's thread does not run, lets others run.
class FROND_THREAD_ANNOTATION(capability("mutex")) SpinLock {
 public:
  void lock() FROND_THREAD_ANNOTATION(acquire_capability()) {
    constexpr int kTries = 1000;
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire);)
      while (locked_.load(std::memory_order_relaxed)) {
        if (++tries < kTries)
          __builtin_ia32_pause();
        else
          std::this_thread::yield();
      }
  }
  void unlock() FROND_THREAD_ANNOTATION(release_capability()) { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_ = false;
};

class FROND_THREAD_ANNOTATION(scoped_lockable) SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) FROND_THREAD_ANNOTATION(acquire_capability(lock)) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() FROND_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace frond::indexer::invert::gpu
