#pragma once
// Pinned memory in which coded slices stay until all partitions have stored them: the device writes them there, and
// nobody copies them.
#include <cstddef>
#include <deque>
#include <memory>
#include <span>

#include "common/base/mutex.h"

namespace frond::indexer::invert::gpu {

class SliceRing : public std::enable_shared_from_this<SliceRing> {
 public:
  // owner: of the memory. It lives as long as this and all parts of it.
  SliceRing(std::span<std::byte> memory, std::shared_ptr<const void> owner)
      : memory_(memory), owner_(std::move(owner)) {}
  // So many bytes, behind those of the last call, aligned to 256. They are given back, by any thread, when the last
  // copy of the pointer goes. Null: there is no room at the moment. One thread calls.
  std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  struct Part {
    std::size_t begin, end;
    bool free;
  };
  void give_back(std::size_t begin);

  const std::span<std::byte> memory_;
  const std::shared_ptr<const void> owner_;
  Mutex mutex_;
  std::deque<Part> parts_ FROND_GUARDED_BY(mutex_);  // in the order of the calls
};

}  // namespace frond::indexer::invert::gpu
