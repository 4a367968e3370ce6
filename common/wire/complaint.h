#pragma once
// Warnings about events that a peer may cause again and again: at most one line in 10 s, which has the number of events
// since the last line. Any thread.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/log.h"
#include "common/base/mutex.h"

namespace frond::wire {

class Complaint {
 public:
  explicit Complaint(Logger* log) : log_(log) {}  // null: no log
  void say(std::string_view what, Logger::Fields fields) {
    const MutexLock lock(mutex_);
    ++unsaid_;
    const auto now = std::chrono::steady_clock::now();
    if (log_ == nullptr || now < next_) return;
    next_ = now + std::chrono::seconds(10);
    log_->warn(std::string(what) + (unsaid_ > 1 ? ", and more: " + std::to_string(unsaid_) : ""), fields);
    unsaid_ = 0;
  }

 private:
  Logger* const log_;
  Mutex mutex_;
  std::uint64_t unsaid_ FROND_GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::time_point next_ FROND_GUARDED_BY(mutex_){};
};

}  // namespace frond::wire
