#pragma once
// Bytes of messages that wait for a worker, counted together. Thread-safe as a whole: each object belongs to one
// thread.
#include <atomic>
#include <cstddef>
#include <utility>

#include "common/base/bytes.h"

namespace frond::leaf::serve {

class CountedBytes {
 public:
  // `count` outlives this object.
  CountedBytes(ByteView bytes, std::atomic<std::size_t>& count) : bytes_(bytes.begin(), bytes.end()), count_(count) {
    count_.fetch_add(bytes_.size(), std::memory_order_relaxed);
  }
  CountedBytes(const CountedBytes& other) : CountedBytes(other.bytes_, other.count_) {}
  CountedBytes(CountedBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})), count_(other.count_) {}
  CountedBytes& operator=(const CountedBytes&) = delete;
  ~CountedBytes() { count_.fetch_sub(bytes_.size(), std::memory_order_relaxed); }

  ByteView view() const { return bytes_; }

 private:
  ByteBuffer bytes_;
  std::atomic<std::size_t>& count_;
};

}  // namespace frond::leaf::serve
