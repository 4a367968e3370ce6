#include "indexer/invert/gpu/text/lists/slice_ring.h"

#include <algorithm>
#include <utility>

#include "indexer/invert/gpu/text/device_parts.h"

namespace frond::indexer::invert::gpu {

std::shared_ptr<std::byte> SliceRing::take(std::size_t bytes) {
  const std::size_t some = in_granules(bytes);
  const MutexLock lock(mutex_);
  std::size_t begin = 0;
  if (!parts_.empty()) {
    const std::size_t first = parts_.front().begin;
    begin = parts_.back().end;
    const bool behind = parts_.back().begin >= first;  // all parts are between `first` and `begin`
    if (behind && begin + some > memory_.size()) {
      if (some > first) return nullptr;
      begin = 0;
    } else if (!behind && begin + some > first) {
      return nullptr;
    }
  }
  if (begin + some > memory_.size()) return nullptr;
  parts_.push_back({begin, begin + some, false});
  return {memory_.data() + begin, [ring = shared_from_this(), begin](std::byte*) { ring->give_back(begin); }};
}

void SliceRing::give_back(std::size_t begin) {
  const MutexLock lock(mutex_);
  std::find_if(parts_.begin(), parts_.end(), [begin](const Part& part) { return part.begin == begin; })->free = true;
  while (!parts_.empty() && parts_.front().free) parts_.pop_front();
}

}  // namespace frond::indexer::invert::gpu
