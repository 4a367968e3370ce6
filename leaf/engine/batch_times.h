#pragma once
// How a device spent its time on one call of an engine, for profiles. A call whose plans need several launches has the
// sum of all. Launches of several calls share the device, so kernels may take longer than they would alone.
#include <cstdint>
#include <vector>

namespace frond::leaf::engine {

struct BatchTimes {
  double build_us = 0;     // a host thread: finds the lists on the device, and writes the batch to pinned memory
  double transfer_us = 0;  // the launch, and the way of the batch and of its answers over the bus
  double kernel_us = 0;    // from the begin of the first kernel to the end of the last, by the device's clock
  std::uint32_t launches = 0;
  // By plan: whether its lists were on the device. Set only where the caller has made it as long as the plans are many.
  std::vector<bool> had_lists;
  // Likewise: whether it was left to the CPU because device memory has no room for an array by document.
  std::vector<bool> no_room;

  // All but had_lists and no_room.
  void add(const BatchTimes& other) {
    build_us += other.build_us;
    transfer_us += other.transfer_us;
    kernel_us += other.kernel_us;
    launches += other.launches;
  }
};

}  // namespace frond::leaf::engine
