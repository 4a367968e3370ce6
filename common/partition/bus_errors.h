#pragma once
// Faults in mapped files (SIGBUS), turned into zeros and a flag. Internal to this folder; used by MappedFile alone.
#include <atomic>
#include <cstddef>

namespace frond::partition {

// From now on a fault in [begin, begin + bytes), whole pages of a mapping, sets `lost` and then makes all of these
// pages zeros. The first call installs the handler. Any thread. `lost` and the mapping stay until stop_watching().
void watch_mapping(const std::byte* begin, std::size_t bytes, std::atomic<bool>& lost);
void stop_watching(const std::byte* begin);

}  // namespace frond::partition
