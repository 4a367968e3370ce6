#pragma once
// The engine `gpu` on several devices. Partitions are assigned to them by size, small ones are on all
// (partition_places.h). The plans of a call go to the devices of their partitions, as shares that run at the same time
// (device_lines.h); where all devices have all partitions, plans go to the device with the least before it if that is
// far less, and devices without work take shares that wait for others. Every plan's answer is the same wherever it
// runs.
//
// When a device fails, its partitions are assigned to the others. Plans that it did not answer run there, if their
// lists are there, else on the engine below: in the same call, so before their deadline. Lists that the others do not
// have yet are copied as plans ask for them. With one device left, or one at all, a call runs on its caller's thread.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leaf/engine/query_engine.h"
#include "leaf/gpu/device_lines.h"
#include "leaf/gpu/gpu_engine.h"
#include "leaf/gpu/partition_places.h"

namespace frond::leaf::gpu {

// Where all devices have all lists, in postings. A millisecond for a device that looks at each, which few queries
// need.
struct LoadBalance {
  std::int64_t apart = std::int64_t{1} << 23;  // a plan leaves its home when that has so many more before it
  // A call of no more than these is not divided: one device runs it about as fast, and no other thread is needed.
  std::int64_t whole = std::int64_t{1} << 23;
};

class GpuDevices final : public engine::QueryEngine, public engine::Accelerator {
 public:
  // One engine for each device, all over the engine `below`, which outlives this.
  // REQUIRES: at least one.
  GpuDevices(std::vector<std::unique_ptr<GpuEngine>> engines, engine::QueryEngine& below,
             const LoadBalance& balance = {});
  ~GpuDevices() override;

  std::string_view name() const override { return "gpu"; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                 const Clock& clock,
                                                                 engine::BatchTimes* times) override;
  bool warm(const engine::Plan& plan, std::span<const lists::ListLease> lists) override;
  std::uint32_t streams() const override;
  bool lost() const override { return working() == 0; }
  std::vector<Device> devices() const override;
  std::uint32_t working() const override;
  lists::DeviceLists& lists() override { return lists_; }
  std::string refusals() const override;
  void add(std::uint64_t partition, std::uint64_t bytes) override { places_.add(partition, bytes); }
  void forget(std::uint64_t partition) override;

  // By device, in the order of devices().
  std::size_t count() const { return engines_.size(); }
  GpuEngine& engine(std::size_t device) { return *engines_[device]; }
  struct Counters {
    PartitionPlaces::Load places;
    DeviceLines::Counters lines;  // of one device alone nothing is counted
  };
  Counters counters(std::size_t device) const;

 private:
  // Asks the device of the list's partition first, then the others.
  class Lists final : public lists::DeviceLists {
   public:
    explicit Lists(GpuDevices& of) : of_(of) {}
    lists::DeviceLease find(const lists::ListKey& key) override;
    bool holds(const lists::CachedList& list) const override;
    std::shared_ptr<const void> find_array(const std::shared_ptr<const void>& owner) override;
    bool has_no_room_for(const std::shared_ptr<const void>& owner) const override;

   private:
    GpuDevices& of_;
  };
  struct Call;

  std::vector<Share*> assign(Call& call, std::span<const std::size_t> places, std::size_t tries, std::size_t not_on);
  std::vector<Share*> run(Share& share, std::size_t device);
  std::vector<Share*> again(Call& call, const Share& share, std::size_t device,
                            std::span<const std::size_t> unanswered);
  void notice_losses();

  engine::QueryEngine& below_;
  const LoadBalance balance_;
  const std::vector<std::unique_ptr<GpuEngine>> engines_;
  PartitionPlaces places_;
  Lists lists_{*this};
  std::vector<std::atomic<bool>> known_lost_;
  DeviceLines lines_;  // last: its threads use the others
};

}  // namespace frond::leaf::gpu
