#pragma once
// Numbered lists that several threads build and one thread takes in order. Builders wait before they get too far ahead
// of the taker, so that memory stays bounded.
#include <condition_variable>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

#include "common/base/mutex.h"

namespace frond::tools::synth {

// Numbers 0 .. count - 1. Any number of builders, one taker.
template <class Item>
class ListLine {
 public:
  ListLine(std::uint32_t count, std::uint32_t max_ahead) : count_(count), max_ahead_(max_ahead) {}

  // The next number to build. Waits while max_ahead numbers are handed out and not taken. Empty: none is left, or a
  // stop was requested.
  std::optional<std::uint32_t> next(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto may_go_on = [this]() FROND_REQUIRES(mutex_) {
      return handed_out_ >= count_ || handed_out_ < taken_ + max_ahead_;
    };
    if (!changed_.wait(lock.mutex(), stop, may_go_on) || stop.stop_requested() || handed_out_ >= count_)
      return std::nullopt;
    return handed_out_++;
  }
  void put(std::uint32_t number, Item item) {
    const MutexLock lock(mutex_);
    built_.emplace(number, std::move(item));
    changed_.notify_all();
  }
  // The next item in order. Empty: all are taken, or a stop was requested; without `wait` also if it is not built yet.
  std::optional<Item> take(bool wait, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    if (taken_ >= count_) return std::nullopt;
    const auto ready = [this]() FROND_REQUIRES(mutex_) { return !built_.empty() && built_.begin()->first == taken_; };
    if (wait ? !changed_.wait(lock.mutex(), stop, ready) : !ready()) return std::nullopt;
    std::optional<Item> item = std::move(built_.begin()->second);
    built_.erase(built_.begin());
    ++taken_;
    changed_.notify_all();
    return item;
  }

 private:
  const std::uint32_t count_, max_ahead_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint32_t, Item> built_ FROND_GUARDED_BY(mutex_);
  std::uint32_t handed_out_ FROND_GUARDED_BY(mutex_) = 0, taken_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::tools::synth
