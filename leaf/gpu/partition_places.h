#pragma once
// Which device has which partition. Each partition has a home: the device that has the least to hold when the partition
// comes, so that partitions are placed by size. A partition that comes while all together are small is on every device,
// and any may search it: a collection of one partition then runs on all devices, and a device with nothing to do helps.
// It stays there, whatever comes later: only then are its lists where it is searched.
//
// Thread-safe; allocates for a new partition alone.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/mutex.h"

namespace frond::leaf::gpu {

class PartitionPlaces {
 public:
  // Small: all partitions, the new one too, take at most this part of the smallest device's room.
  static constexpr std::size_t kSharePart = 2;

  // By device: bytes of memory for lists. REQUIRES: one at least.
  explicit PartitionPlaces(std::vector<std::size_t> room);

  // A new partition that takes about so many bytes on a device. One that is known already stays where it is.
  void add(std::uint64_t partition, std::uint64_t bytes);
  void remove(std::uint64_t partition);
  struct Sized {
    std::uint64_t partition = 0, bytes = 0;
  };
  struct Holders {
    std::size_t home = 0;
    bool everywhere = false;  // the others have it, too
  };
  // Who has partitions; one that was not added is. `holders` has as many elements.
  void find(std::span<const Sized> partitions, std::span<Holders> holders);
  Holders find(const Sized& partition);
  std::optional<std::size_t> known_home(std::uint64_t partition) const;
  // The device has failed: its partitions are assigned to the others, the largest first. Those of the last one stay.
  void lose(std::size_t device);

  struct Load {
    std::size_t partitions = 0;
    std::uint64_t bytes = 0;  // of the partitions whose home it is
  };
  Load load(std::size_t device) const;

 private:
  struct Place {
    Holders holders;
    std::uint64_t bytes = 0;
  };
  struct Device {
    std::size_t room = 0;
    bool lost = false;
    Load load;
  };
  Holders place(const Sized& partition) FROND_REQUIRES(mutex_);
  void move_to(std::size_t home, Place& place) FROND_REQUIRES(mutex_);
  std::size_t emptiest() const FROND_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Device> devices_ FROND_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, Place> places_ FROND_GUARDED_BY(mutex_);
  std::uint64_t bytes_ FROND_GUARDED_BY(mutex_) = 0;  // of all partitions
};

}  // namespace frond::leaf::gpu
