#pragma once
// The memory that the compactions of a process share: a merge waits until there is room for it beside the others.
#include <condition_variable>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::indexer::change {

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
