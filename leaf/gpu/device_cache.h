#pragma once
// Which lists lie in device memory, and how they get there: copied through pinned memory on a stream of their own,
// beside running queries, by one thread. What is asked for and not there is copied for the next time; the caller goes
// to the CPU meanwhile. What stays is decided as in host memory (leaf/lists/segmented_lru.h); a list in use stays until
// its last user is done. The lengths of a partition's documents come with its first list and stay until forget().
//
// A list that the device can't decode, or that is not what it says, is remembered as such and not copied again. Every
// method may be called from any thread. A failed device operation ends the cache: pin() gives nothing from then on.
// Where the host has no memory for a copy, the copy is not made, and may be asked for again.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/lists/segmented_lru.h"

namespace frond::leaf::gpu {

class DeviceCache {
 public:
  enum class Copying { kInBackground, kByTheCaller };  // kByTheCaller: pin() copies and waits, for tests and benches
  struct Options {
    int device = 0;
    Copying copying = Copying::kInBackground;
    std::size_t staging_bytes = std::size_t{4} << 20;  // of pinned memory, in two halves
    std::size_t max_waiting = 256;                     // plans whose lists wait to be copied; more are forgotten
  };
  // Lists are counted, not plans.
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0, refused = 0, copied_bytes = 0;
    std::uint64_t bytes = 0, entries = 0;  // held now
  };

  // `arena` is of the device; it and the clock of nothing: this outlives every pin.
  static Result<std::unique_ptr<DeviceCache>> create(device::Arena& arena, const Options& options);
  ~DeviceCache();

  // All that the plan needs, or nothing: then it is being copied, or can't be. The plan fits_kernels().
  std::optional<ReadyPlan> pin(const Plan& plan);
  // Waits until nothing waits to be copied.
  void settle();
  // Lists and lengths of a partition that is about to be closed. What waits to be copied of it is dropped and the copy
  // in progress waited for: from then on nothing of the partition is read. Its plans have ended.
  void forget(std::uint64_t partition);
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  Counters counters() const;

 private:
  struct Half {
    device::Memory memory;
    device::Event free;
  };
  // What a waiting plan needs. Leases keep the lists in place; the lengths stay only until the partition's forget().
  struct Order {
    std::uint64_t partition = 0;
    std::span<const std::uint32_t> lengths;
    std::vector<ListLease> lists;
  };

  DeviceCache(device::Arena& arena, const Options& options, device::Stream stream, std::vector<Half> halves,
              device::Event copied);
  struct OrderEnd;
  void run(const std::stop_token& stop);
  bool order(const Plan& plan);
  void fulfil(const Order& order);
  Result<void> copy_list(const ListLease& lease, std::uint32_t documents);
  Result<void> copy_lengths(const Order& order);
  template <class Fill>
  Result<void> copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill);
  std::shared_ptr<std::byte> allocate(std::size_t bytes);
  std::optional<ReadyPlan> look_up(const Plan& plan, bool count);

  device::Arena& arena_;
  const Options options_;
  Mutex copying_;  // one copy at a time; what follows is the copier's own
  device::Stream stream_;
  std::vector<Half> halves_;
  device::Event copied_;
  std::size_t next_half_ = 0;
  std::atomic<bool> lost_{false};

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  SegmentedLru kept_ FROND_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, std::shared_ptr<const ResidentLengths>> lengths_ FROND_GUARDED_BY(mutex_);
  std::deque<Order> orders_ FROND_GUARDED_BY(mutex_);
  std::unordered_set<ListKey, ListKeyHash> ordered_ FROND_GUARDED_BY(mutex_);
  std::uint64_t in_progress_ FROND_GUARDED_BY(mutex_) = 0;  // the partition whose order the copier has; 0: none
  Counters counters_ FROND_GUARDED_BY(mutex_);
  std::jthread copier_;  // last: ends first
};

}  // namespace frond::leaf::gpu
