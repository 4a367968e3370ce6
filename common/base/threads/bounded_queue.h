#pragma once
// A queue between threads, bounded by the number of items or by the sum of their weights (bytes, for example). Waiting
// ends when it can go on, when the queue is closed, or when a stop is requested.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "common/base/mutex.h"

namespace frond {

// Any thread.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // An item heavier than the capacity enters an empty queue. False: stopped or closed; `item` is dropped.
  bool push(T item, std::stop_token stop, std::size_t weight = 1) {
    MutexLock lock(mutex_);
    const bool room = space_.wait(mutex_, stop, [&]() FROND_REQUIRES(mutex_) {
      return items_.empty() || weight_ + weight <= capacity_ || closed_;
    });
    if (!room || closed_) return false;
    items_.push_back({std::move(item), weight});
    weight_ += weight;
    filled_.notify_one();
    return true;
  }
  // No value: stopped, or closed and empty.
  std::optional<T> pop(std::stop_token stop) {
    MutexLock lock(mutex_);
    if (!filled_.wait(mutex_, stop, [this]() FROND_REQUIRES(mutex_) { return !items_.empty() || closed_; }))
      return std::nullopt;
    return take();
  }
  // No value: empty at the moment.
  std::optional<T> try_pop() {
    MutexLock lock(mutex_);
    return take();
  }
  // No more will be pushed.
  void close() {
    MutexLock lock(mutex_);
    closed_ = true;
    filled_.notify_all();
    space_.notify_all();
  }

 private:
  std::optional<T> take() FROND_REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front().value));
    weight_ -= items_.front().weight;
    items_.pop_front();
    space_.notify_all();
    return item;
  }
  struct Item {
    T value;
    std::size_t weight;
  };
  const std::size_t capacity_;
  Mutex mutex_;
  std::condition_variable_any filled_, space_;
  std::deque<Item> items_ FROND_GUARDED_BY(mutex_);
  std::size_t weight_ FROND_GUARDED_BY(mutex_) = 0;
  bool closed_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond
