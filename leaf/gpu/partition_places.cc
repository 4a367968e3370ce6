#include "leaf/gpu/partition_places.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/check.h"

namespace frond::leaf::gpu {

PartitionPlaces::PartitionPlaces(std::vector<std::size_t> room) {
  FROND_CHECK(!room.empty());
  const MutexLock lock(mutex_);
  for (const std::size_t bytes : room) devices_.push_back({bytes, false, {}});
}

// Relative to its room. Of equal ones the first.
std::size_t PartitionPlaces::emptiest() const {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    const double full = (static_cast<double>(device.load.bytes) + 1) / (static_cast<double>(device.room) + 1);
    if (device.lost || full >= least) continue;
    best = i;
    least = full;
  }
  return best;
}

void PartitionPlaces::move_to(std::size_t home, Place& place) {
  place.holders.home = home;
  ++devices_[home].load.partitions;
  devices_[home].load.bytes += place.bytes;
}

PartitionPlaces::Holders PartitionPlaces::place(const Sized& partition) {
  const auto [at, is_new] = places_.try_emplace(partition.partition);
  Place& place = at->second;
  if (!is_new) return place.holders;
  place.bytes = partition.bytes;
  bytes_ += partition.bytes;
  place.holders.everywhere = true;
  for (const Device& device : devices_)
    if (!device.lost && bytes_ > device.room / kSharePart) place.holders.everywhere = false;
  move_to(emptiest(), place);
  return place.holders;
}

void PartitionPlaces::add(std::uint64_t partition, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  place({partition, bytes});
}

void PartitionPlaces::remove(std::uint64_t partition) {
  const MutexLock lock(mutex_);
  const auto at = places_.find(partition);
  if (at == places_.end()) return;
  Load& load = devices_[at->second.holders.home].load;
  --load.partitions;
  load.bytes -= at->second.bytes;
  bytes_ -= at->second.bytes;
  places_.erase(at);
}

void PartitionPlaces::find(std::span<const Sized> partitions, std::span<Holders> holders) {
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < partitions.size(); ++i) holders[i] = place(partitions[i]);
}

PartitionPlaces::Holders PartitionPlaces::find(const Sized& partition) {
  const MutexLock lock(mutex_);
  return place(partition);
}

std::optional<std::size_t> PartitionPlaces::known_home(std::uint64_t partition) const {
  const MutexLock lock(mutex_);
  const auto at = places_.find(partition);
  return at == places_.end() ? std::nullopt : std::optional(at->second.holders.home);
}

void PartitionPlaces::lose(std::size_t device) {
  const MutexLock lock(mutex_);
  devices_[device].lost = true;
  if (std::all_of(devices_.begin(), devices_.end(), [](const Device& one) { return one.lost; })) return;
  std::vector<std::pair<std::uint64_t, Place*>> moved;  // by partition, so that the order is certain
  for (auto& [partition, place] : places_)
    if (place.holders.home == device) moved.emplace_back(partition, &place);
  std::sort(moved.begin(), moved.end(), [](const auto& a, const auto& b) {
    return a.second->bytes != b.second->bytes ? a.second->bytes > b.second->bytes : a.first < b.first;
  });
  devices_[device].load = {};
  for (const auto& one : moved) move_to(emptiest(), *one.second);
}

PartitionPlaces::Load PartitionPlaces::load(std::size_t device) const {
  const MutexLock lock(mutex_);
  return devices_[device].load;
}

}  // namespace frond::leaf::gpu
