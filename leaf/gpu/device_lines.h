#pragma once
// A queue for each device, of shares: some plans of one call for one device. A device runs so many shares at a time; a
// share that finds it busy waits in its line. A device with nothing in its own line takes a share from the longest of
// the others, unless that can run on its own device alone. A share that no device is free for may be begun ahead on its
// own, some of them at a time, so that its plans are prepared when the device is free.
//
// The thread that put a call's shares runs one of them itself, so that a call with one share needs no other thread.
// Others are run by threads of this object, as many as shares may run at a time, so that none waits for a thread.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "common/base/mutex.h"

namespace frond::leaf::gpu {

// A call whose shares are in the lines. Its owner derives from it.
struct LinedCall {
  std::size_t left = 0;  // shares that have not run; for DeviceLines alone
  std::condition_variable_any ended;
};

// Owned by its call, and in place until that ends.
struct Share {
  LinedCall* call = nullptr;
  std::size_t device = 0;           // whose line it is put into
  std::vector<std::size_t> places;  // of its plans in the call
  std::int64_t work = 0;            // in postings, about
  bool stays = false;               // no other device can run it
  std::size_t tries = 1;            // devices that it was given to, with this one

  // For DeviceLines alone.
  Share *before = nullptr, *next = nullptr;
  bool waits = false;
};

class DeviceLines {
 public:
  // Runs the share on the device. What it returns is put into the lines, for the same call. Does not throw.
  using Run = std::function<std::vector<Share*>(Share&, std::size_t device)>;
  // By device: shares at a time, one at least; and how many more are begun ahead.
  DeviceLines(std::vector<std::uint32_t> slots, Run run, std::uint32_t ahead = 0);
  // REQUIRES: no call is in the lines.
  ~DeviceLines();

  // Puts the call's shares, and returns when all have run. Any thread, several at a time.
  void run(LinedCall& call, std::span<Share* const> shares);

  // Postings that wait for the device or run on it, about.
  std::int64_t load(std::size_t device) const;
  struct Counters {
    std::uint64_t shares = 0, stolen = 0;  // run; of these: from another device's line
    std::size_t waiting = 0;
  };
  Counters counters(std::size_t device) const;

 private:
  struct Line {
    Share *first = nullptr, *last = nullptr;
    std::uint32_t running = 0, slots = 1;
    std::int64_t load = 0;
    Counters counters;
  };
  struct Pick {
    Share* share = nullptr;
    std::size_t device = 0;
  };
  void put(Share& share) FROND_REQUIRES(mutex_);
  void take(const Pick& pick) FROND_REQUIRES(mutex_);
  Pick for_any() FROND_REQUIRES(mutex_);
  Pick for_idle() FROND_REQUIRES(mutex_);
  Pick for_call(std::span<Share* const> shares) FROND_REQUIRES(mutex_);
  bool is_free(std::size_t device) const FROND_REQUIRES(mutex_);
  bool has_room_ahead(std::size_t device) const FROND_REQUIRES(mutex_);
  void run_taken(const Pick& pick);
  void help();

  const Run run_;
  const std::uint32_t ahead_;
  mutable Mutex mutex_;
  std::condition_variable_any put_;
  std::vector<Line> lines_ FROND_GUARDED_BY(mutex_);
  std::size_t waiting_ FROND_GUARDED_BY(mutex_) = 0;  // in all lines
  bool stopped_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::leaf::gpu
