#include "leaf/collect/facets/bucket_table.h"

#include <random>
#include <utility>

namespace frond::leaf::collect {

std::uint64_t BucketTable::seed_of_process() {
  static const std::uint64_t kSeed = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return kSeed;
}

void BucketTable::grow() {
  std::vector<Bucket> more(slots_.size() * 2);
  for (const Bucket& slot : slots_)
    if (slot.count != 0) more[place_in(more, slot.bucket)] = slot;
  slots_ = std::move(more);
}

}  // namespace frond::leaf::collect
