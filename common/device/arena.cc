#include "common/device/arena.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/check.h"

namespace frond::device {

Arena::Arena(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes / kGranule * kGranule) {
  if (bytes_ > 0) gaps_.emplace(0, bytes_);
}

std::byte* Arena::allocate(std::size_t bytes) {
  FROND_CHECK(bytes > 0);
  if (bytes > bytes_) return nullptr;
  const std::size_t wanted = (bytes + kGranule - 1) / kGranule * kGranule;
  const MutexLock lock(mutex_);
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(), [wanted](const auto& one) { return one.second >= wanted; });
  if (gap == gaps_.end()) return nullptr;
  const std::size_t offset = gap->first, left = gap->second - wanted;
  if (left > 0) gaps_.emplace(offset + wanted, left);  // what may throw comes first
  auto piece = gaps_.extract(gap);
  piece.mapped() = wanted;
  pieces_.insert(std::move(piece));
  used_ += wanted;
  return base_ + offset;
}

void Arena::release(const std::byte* piece) {
  const MutexLock lock(mutex_);
  const auto found = pieces_.find(static_cast<std::size_t>(piece - base_));
  FROND_CHECK(found != pieces_.end());
  auto gap = pieces_.extract(found);
  used_ -= gap.mapped();
  auto after = gaps_.lower_bound(gap.key());
  if (after != gaps_.end() && after->first == gap.key() + gap.mapped()) {
    gap.mapped() += after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == gap.key()) {
      before->second += gap.mapped();
      return;
    }
  }
  gaps_.insert(after, std::move(gap));
}

std::size_t Arena::used() const {
  const MutexLock lock(mutex_);
  return used_;
}

}  // namespace frond::device
