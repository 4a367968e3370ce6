#pragma once
// Stored fields that are read from a spool. As a ByteBuffer, except that new room is not cleared: all of a spool passes
// through here, and clearing takes a third of the time that reading it takes.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "common/base/bytes.h"

namespace frond::indexer::runs {

// One thread, or many that only read.
class FieldBuffer {
 public:
  // Room for so many bytes behind the others, for the caller to fill. Moves the others if there is too little.
  std::span<std::byte> grow(std::size_t bytes) {
    const std::size_t needed = size_ + bytes;
    // Long buffers have the size that is needed, since one that doubles would take twice its size.
    if (needed > capacity_) move_to(needed > kLongBytes ? needed : std::bit_ceil(std::max(needed, kMinBytes)));
    const std::span<std::byte> room(bytes_.get() + size_, bytes);
    size_ = needed;
    return room;
  }
  ByteView view() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kMinBytes = std::size_t{256} << 10, kLongBytes = std::size_t{4} << 20;
  void move_to(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace frond::indexer::runs
