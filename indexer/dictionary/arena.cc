#include "indexer/dictionary/arena.h"

#include <sys/mman.h>

#include <new>

#include "common/base/check.h"

namespace frond::indexer::dictionary {

void Arena::add_block(std::size_t bytes) {
  FROND_CHECK(bytes <= kBlockBytes && this->bytes() < kMaxBytes);
  void* const block = std::aligned_alloc(kBlockBytes, kBlockBytes);
  if (block == nullptr) throw std::bad_alloc();
  ::madvise(block, kBlockBytes, MADV_HUGEPAGE);  // a hint
  blocks_.emplace_back(static_cast<std::byte*>(block));
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
