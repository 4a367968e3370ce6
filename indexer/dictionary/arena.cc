#include "indexer/dictionary/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

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

std::byte* TableMemory::take(std::size_t bytes) {
  FROND_CHECK(std::has_single_bit(bytes) && bytes >= kLeastBytes);
  if (bytes >= kLargeBlock) return add_block(bytes);
  std::byte*& kept = kept_[static_cast<std::size_t>(std::countr_zero(bytes))];
  if (kept != nullptr) {
    std::byte* const piece = kept;
    std::memcpy(&kept, piece, sizeof kept);
    return piece;
  }
  if (left_ < bytes) {
    while (left_ > 0) {
      const std::size_t part = std::bit_floor(left_);
      keep(std::exchange(next_, next_ + part), part);
      left_ -= part;
    }
    const std::size_t block = std::max(bytes, std::clamp(std::bit_floor(bytes_), kFirstBlock, kLargeBlock));
    next_ = add_block(block);
    left_ = block;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

void TableMemory::give(std::byte* piece, std::size_t bytes) {
  if (bytes < kLargeBlock) {
    keep(piece, bytes);
    return;
  }
  const auto block =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.begin.get() == piece; });
  FROND_CHECK(block != blocks_.end() && block->bytes == bytes);
  bytes_ -= bytes;
  blocks_.erase(block);
}

void TableMemory::clear() {
  blocks_.clear();
  blocks_.shrink_to_fit();
  bytes_ = 0;
  next_ = nullptr;
  left_ = 0;
  kept_ = {};
}

std::byte* TableMemory::add_block(std::size_t bytes) {
  void* const block = std::aligned_alloc(std::min(bytes, kLargeBlock), bytes);
  if (block == nullptr) throw std::bad_alloc();
  if (bytes >= kLargeBlock) ::madvise(block, bytes, MADV_HUGEPAGE);  // a hint
  blocks_.push_back({std::unique_ptr<std::byte, FreeBlock>(static_cast<std::byte*>(block)), bytes});
  bytes_ += bytes;
  return static_cast<std::byte*>(block);
}

void TableMemory::keep(std::byte* piece, std::size_t bytes) {
  std::byte*& kept = kept_[static_cast<std::size_t>(std::countr_zero(bytes))];
  std::memcpy(piece, &kept, sizeof kept);
  kept = piece;
}

}  // namespace frond::indexer::dictionary
