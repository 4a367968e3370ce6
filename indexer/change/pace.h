#pragma once
// What holds back work in the background: a number of bytes a second, and memory.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::indexer::change {

// Leaves the disk to others. One thread.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Pace(std::uint64_t bytes_per_second, Clock::time_point now = Clock::now())  // 0: no limit
      : rate_(bytes_per_second), due_(now) {}
  // Counts bytes, and waits where they came too fast. Time in which less came is not made up for. kUnavailable:
  // stopped.
  Result<void> spend(std::uint64_t bytes, const std::stop_token& stop);
  // How long spend() would wait at `now`. Short waits are put off.
  Clock::duration owed(std::uint64_t bytes, Clock::time_point now);

 private:
  const std::uint64_t rate_;
  Clock::time_point due_;  // when the bytes so far may have been worked on
};

// The memory that the compactions of a process share: a merge waits until there is room for it beside the others.
// Thread-safe. Outlives its places.
class MergeRoom {
 public:
  // Gives its bytes back when destroyed.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (room_ != nullptr) room_->give_back(bytes_);
    }

   private:
    friend class MergeRoom;
    Place(MergeRoom& room, std::uint64_t bytes) : room_(&room), bytes_(bytes) {}
    MergeRoom* room_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  explicit MergeRoom(std::uint64_t bytes) : bytes_(bytes) {}
  // One that is alone always has room. kUnavailable: stopped.
  Result<Place> take(std::uint64_t bytes, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto fits = [&]() FROND_REQUIRES(mutex_) { return used_ == 0 || used_ + bytes <= bytes_; };
    if (!freed_.wait(mutex_, stop, fits)) return Error(Code::kUnavailable, "stopped");
    used_ += bytes;
    return Place(*this, bytes);
  }

 private:
  void give_back(std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    used_ -= bytes;
    freed_.notify_all();
  }

  const std::uint64_t bytes_;
  Mutex mutex_;
  std::condition_variable_any freed_;
  std::uint64_t used_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::indexer::change
