#include "indexer/dictionary/arena.h"

#include "common/base/check.h"

namespace frond::indexer::dictionary {

void Arena::add_block(std::size_t bytes) {
  FROND_CHECK(bytes <= kBlockBytes && this->bytes() < kMaxBytes);
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
  next_ = static_cast<ArenaRef>((blocks_.size() - 1) * kUnitsPerBlock);
  left_ = kUnitsPerBlock;
}

void Arena::clear() {
  blocks_.clear();
  blocks_.shrink_to_fit();
  next_ = 0;
  left_ = 0;
}

}  // namespace frond::indexer::dictionary
