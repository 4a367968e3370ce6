#pragma once
// The lists in device memory. pin() gives a plan its lists if all are there. Otherwise the CPU answers this plan, and a
// background thread copies the missing lists for later plans (list_copier.h). Lists are evicted as in host memory
// (leaf/lists/list_cache.h); an evicted list's memory is released when no plan uses it. Where the device has no memory
// left, only lists that no plan uses are evicted. The document lengths of a partition are copied with its first list
// and stay until forget(). Other arrays by document are copied when a plan first needs them (document_arrays.h).
//
// A list whose bytes are corrupt, or that is too large for an image, is remembered as refused and not copied again.
//
// When a device operation fails, the cache is lost: pin() returns nothing from then on. When the host has no memory for
// a copy, the copy is dropped and may be ordered again. Every method may be called from any thread.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/document_arrays.h"
#include "leaf/gpu/list_copier.h"
#include "leaf/lists/list_cache.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::gpu {

class DeviceCache final : public lists::DeviceLists {
 public:
  enum class Copying { kInBackground, kByTheCaller };  // kByTheCaller: pin() copies and waits, for tests and benches
  struct Options {
    int device = 0;
    Copying copying = Copying::kInBackground;
    std::size_t staging_bytes = std::size_t{4} << 20;  // of pinned memory
    std::size_t max_waiting = 256;                     // max plans whose lists wait to be copied
  };
  // Counts of lists, not of plans; bytes of device memory.
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0, copied_bytes = 0;
    std::uint64_t damaged = 0, too_large = 0;  // refused
    std::uint64_t bytes = 0, entries = 0;      // held now
  };

  // `arena` allocates device memory. kDevice.
  // REQUIRES: the arena outlives the cache, and the cache every pinned plan.
  static Result<std::unique_ptr<DeviceCache>> create(device::Arena& arena, const Options& options);
  ~DeviceCache() override;

  // The plan with its lists and arrays on the device. Empty: some of them are missing; they are then ordered, unless
  // they were refused or too many plans wait. A plan of device leases orders nothing; where they are this cache's, it
  // is always ready, and takes no lock. Leases of another device's cache are looked up by their keys. REQUIRES:
  // fits_kernels(plan); `plan` outlives the result.
  std::optional<ReadyPlan> pin(const engine::Plan& plan);
  // Orders what the plan needs and is not there, to be copied in the background. Does not wait. REQUIRES: as pin().
  void want(const engine::Plan& plan);
  // Accelerator::warm().
  bool warm(const engine::Plan& plan, std::span<const lists::ListLease> lists);
  // Whether pin() returns nothing because there is no room for an array that the plan needs.
  bool has_no_room_for(const engine::Plan& plan) const;
  // A ResidentList. It holds its memory, also when it is evicted.
  lists::DeviceLease find(const lists::ListKey& key) override;
  // A ResidentArray.
  std::shared_ptr<const void> find_array(const std::shared_ptr<const void>& owner) override;
  bool has_no_room_for(const std::shared_ptr<const void>& owner) const override;
  // Waits until no list waits to be copied.
  void settle();
  // For a partition that is about to be closed: drops its lists, lengths and waiting copies, and waits for a copy in
  // progress. Afterwards nothing of the partition is read. REQUIRES: the partition's plans have ended.
  void forget(std::uint64_t partition);
  // The device has failed: the cache is lost, too, and keeps nothing, so that leases that nobody uses end.
  void drop();
  // Less than nine tenths of the memory is used, and the device is not lost.
  bool has_room() const { return !lost() && arena_.used() / 9 < arena_.bytes() / 10; }
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  Counters counters() const;
  // For people: how many lists were refused, and why the last one was. Empty: none were.
  std::string refusals() const;

 private:
  // What is missing for a plan. The leases keep the lists' bytes in place; `lengths` is valid until the partition's
  // forget().
  struct Order {
    std::uint64_t partition = 0;
    std::span<const std::uint32_t> lengths;
    std::vector<lists::ListLease> lists;
    std::vector<DocumentArrays::Source> arrays;
  };

  DeviceCache(device::Arena& arena, const Options& options, ListCopier copier);
  struct OrderEnd;
  void run(const std::stop_token& stop);
  bool order(const engine::Plan& plan);
  using Marks = std::unordered_set<lists::ListKey, lists::ListKeyHash>;
  std::optional<Order> missing(const engine::Plan& plan, std::span<const lists::ListLease> more, Marks& marks)
      FROND_REQUIRES(mutex_);
  void fulfil(const Order& order);
  Result<void> copy_arrays(const Order& order);
  Result<void> copy_lists(std::span<const lists::ListLease> leases, std::uint32_t documents);
  void keep(const lists::ListLease& lease, const ListImage& image, std::shared_ptr<std::byte> memory,
            std::uint32_t documents);
  Result<void> copy_lengths(const Order& order) FROND_REQUIRES(copying_);
  Result<void> copy_array(const DocumentArrays::Source& source) FROND_REQUIRES(copying_);
  bool is_ordered(const DocumentArrays::Source& source) const FROND_REQUIRES(mutex_);
  void refuse(const lists::ListKey& key, const Error& why);
  std::shared_ptr<std::byte> allocate(std::size_t bytes);
  std::optional<ReadyPlan> look_up(const engine::Plan& plan, bool count);
  std::optional<ReadyPlan> copy_and_look_up(const engine::Plan& plan);

  device::Arena& arena_;
  const Options options_;
  Mutex copying_;  // one thread at a time; taken before mutex_
  ListCopier copier_ FROND_GUARDED_BY(copying_);
  std::atomic<bool> lost_{false};
  DocumentArrays arrays_;
  std::atomic<std::uint64_t> leased_{0};  // lists of plans of device leases

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  lists::ListCache kept_ FROND_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, std::shared_ptr<const ResidentLengths>> lengths_ FROND_GUARDED_BY(mutex_);
  std::deque<Order> orders_ FROND_GUARDED_BY(mutex_);
  Marks ordered_ FROND_GUARDED_BY(mutex_);
  std::uint64_t in_progress_ FROND_GUARDED_BY(mutex_) = 0;  // partition of the order that thread_ fulfils; 0: none
  Counters counters_ FROND_GUARDED_BY(mutex_);
  std::string last_refusal_ FROND_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: ends before the other members do
};

}  // namespace frond::leaf::gpu
