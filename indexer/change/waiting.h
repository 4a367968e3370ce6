#pragma once
// What a change waits for: the right to write the collection; in the background also its pace, and memory. Builds hold
// the collection's LOCK only while they begin and while they publish, so one waits for another.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::indexer::change {

// What is changed, and how.
struct ChangeOptions {
  std::filesystem::path repository;  // a directory or s3://bucket[/prefix]
  std::string collection;
  std::uint64_t disk_reserve = 0;                          // bytes of the repository's disk that must stay free
  std::function<void(std::string_view)> before_step = {};  // for tests: see RepositoryWriter::open()
  repository::ObjectWriting objects = {};                  // if the repository is in an object store
  std::chrono::milliseconds patience{0};  // while another writer holds the collection; at least the lease of a dead one
  std::uint64_t log_sequence = 0;         // of what is published: see Change; 0: as it is
  std::string log_id = {};                // of the log that this is a number of
};

// Waits `patience` while another writer holds LOCK. Errors as RepositoryWriter::open(); kUnavailable also: it was held
// all the time, or stopped.
Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(const ChangeOptions& options,
                                                                  const std::stop_token& stop,
                                                                  std::chrono::milliseconds patience);

// Removes what is in it, as far as that can be removed.
void empty_folder(const std::filesystem::path& folder);

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
  using Place = std::shared_ptr<void>;  // gives its bytes back when destroyed
  explicit MergeRoom(std::uint64_t bytes) : bytes_(bytes) {}
  // One that is alone always has room. kUnavailable: stopped.
  Result<Place> take(std::uint64_t bytes, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto fits = [&]() FROND_REQUIRES(mutex_) { return used_ == 0 || used_ + bytes <= bytes_; };
    if (!freed_.wait(mutex_, stop, fits)) return Error(Code::kUnavailable, "stopped");
    used_ += bytes;
    return Place(this, [bytes](void* room) { static_cast<MergeRoom*>(room)->give_back(bytes); });
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
