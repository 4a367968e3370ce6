#pragma once
// A mutex whose guarded members are marked, so that Clang's -Wthread-safety checks them.
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define FROND_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FROND_THREAD_ANNOTATION(x)
#endif
#define FROND_GUARDED_BY(m) FROND_THREAD_ANNOTATION(guarded_by(m))
#define FROND_REQUIRES(m) FROND_THREAD_ANNOTATION(requires_capability(m))

namespace frond {

class FROND_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() FROND_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() FROND_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  bool try_lock() FROND_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

class FROND_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FROND_THREAD_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() FROND_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  // For std::condition_variable_any.
  Mutex& mutex() { return mutex_; }

 private:
  Mutex& mutex_;
};

}  // namespace frond
