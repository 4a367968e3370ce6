#pragma once
// Memory that parser threads share for expensive records: a thread that needs more than is left waits.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include "common/base/mutex.h"

namespace frond::indexer::parse {

// Any thread. The holder of a lease never waits for another thread, so every lease is given back.
class WorkingMemory {
 public:
  explicit WorkingMemory(std::uint64_t bytes) : all_(bytes), left_(bytes) {}

  class Lease {
   public:
    Lease(WorkingMemory& from, std::uint64_t bytes) : from_(&from), bytes_(bytes) {}
    Lease(Lease&& other) noexcept : from_(std::exchange(other.from_, nullptr)), bytes_(other.bytes_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (from_) from_->give_back(bytes_);
    }

   private:
    WorkingMemory* from_;
    std::uint64_t bytes_;
  };
  // Waits until `bytes` bytes are left, or all bytes if it asks for more than all. No value: stopped.
  std::optional<Lease> take(std::uint64_t bytes, std::stop_token stop) {
    bytes = std::min(bytes, all_);
    MutexLock lock(mutex_);
    if (!given_back_.wait(mutex_, stop, [&]() FROND_REQUIRES(mutex_) { return left_ >= bytes; })) return std::nullopt;
    left_ -= bytes;
    return Lease(*this, bytes);
  }

 private:
  void give_back(std::uint64_t bytes) {
    MutexLock lock(mutex_);
    left_ += bytes;
    given_back_.notify_all();
  }

  const std::uint64_t all_;
  Mutex mutex_;
  std::condition_variable_any given_back_;
  std::uint64_t left_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::indexer::parse
