#pragma once
// Log lines about what may happen again and again, of which only some are written.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/log.h"
#include "common/base/mutex.h"

namespace frond {

// Warnings, at most one line in `every`, which has the number of events since the last line. Any thread.
class Complaint {
 public:
  // Null: no log.
  explicit Complaint(Logger* log, std::chrono::milliseconds every = std::chrono::seconds(10))
      : log_(log), every_(every) {}
  void say(std::string_view what, Logger::Fields fields) {
    const MutexLock lock(mutex_);
    ++unsaid_;
    const auto now = std::chrono::steady_clock::now();
    if (log_ == nullptr || now < next_) return;
    next_ = now + every_;
    log_->warn(std::string(what) + (unsaid_ > 1 ? ", and more: " + std::to_string(unsaid_) : ""), fields);
    unsaid_ = 0;
  }

 private:
  Logger* const log_;
  const std::chrono::milliseconds every_;
  Mutex mutex_;
  std::uint64_t unsaid_ FROND_GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::time_point next_ FROND_GUARDED_BY(mutex_){};
};

}  // namespace frond
