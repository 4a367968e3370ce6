#pragma once
// Turns faults in mapped files (SIGBUS) into zeros and a flag. Internal to this folder; used by MappedFile alone.
#include <atomic>
#include <cstddef>

namespace frond::partition {

// From now on a fault in [begin, begin + bytes), whole pages of a mapping, sets `lost` and then replaces all of these
// pages by zeros. The first call installs the handler. Any thread. `lost` and the mapping live until stop_watching().
void watch_mapping(const std::byte* begin, std::size_t bytes, std::atomic<bool>& lost);
void stop_watching(const std::byte* begin);

}  // namespace frond::partition
