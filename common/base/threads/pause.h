#pragma once
// Waiting that a stop ends.
#include <chrono>
#include <condition_variable>
#include <stop_token>

#include "common/base/mutex.h"

namespace frond {

// Returns after `time`, or as soon as stop is requested. Whether it is not. Any thread.
inline bool pause_for(std::chrono::steady_clock::duration time, const std::stop_token& stop) {
  Mutex mutex;
  std::condition_variable_any wake;
  const MutexLock lock(mutex);
  wake.wait_for(mutex, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace frond
