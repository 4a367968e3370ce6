#pragma once
// SIGINT and SIGTERM as a stop token.
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace frond::indexer {

// Made in main() before any other thread, so that all threads inherit the blocked signals. A second signal ends the
// process at once, and so does the first one if this object is still there after `patience`: something may wait for a
// pipe or a disk. The next build removes what that leaves.
class StopOnSignal {
 public:
  static constexpr std::chrono::milliseconds kUsualPatience{1800};
  explicit StopOnSignal(std::chrono::milliseconds patience = kUsualPatience);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return stop_.get_token(); }
  // The signal that was received; 0: none.
  int signal() const { return signal_; }

 private:
  void wait();
  const std::chrono::milliseconds patience_;
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace frond::indexer
