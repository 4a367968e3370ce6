#pragma once
// Memory that is allocated in small pieces and freed all at once. Pieces have 32-bit references (in units of 8 bytes):
// half the size of a pointer, in tables that hold millions of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace frond::indexer::dictionary {

using ArenaRef = std::uint32_t;
inline constexpr ArenaRef kNoRef = 0xffffffff;

// One thread. Holds at most 32 GiB. More is a programmer's error, since the memory budget of an arena is far smaller.
class Arena {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{2} << 20;  // a large page: pieces are read at random
  static constexpr std::size_t kUnit = 8;
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 30;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `bytes` of uninitialised memory, aligned to kUnit. Keeps its address until clear().
  // REQUIRES: 1 <= bytes <= kBlockBytes; this->bytes() < kMaxBytes.
  ArenaRef allocate(std::size_t bytes) {
    const std::size_t units = (bytes + kUnit - 1) / kUnit;
    if (left_ < units) [[unlikely]]
      add_block(bytes);
    const ArenaRef ref = next_;
    next_ += static_cast<ArenaRef>(units);
    left_ -= units;
    return ref;
  }
  std::byte* at(ArenaRef ref) const {
    return blocks_[ref / kUnitsPerBlock].get() + std::size_t{ref % kUnitsPerBlock} * kUnit;
  }
  template <class T>
  T* as(ArenaRef ref) const {
    static_assert(alignof(T) <= kUnit);
    return reinterpret_cast<T*>(at(ref));
  }
  std::size_t bytes() const { return blocks_.size() * kBlockBytes; }
  void clear();

 private:
  static constexpr std::size_t kUnitsPerBlock = kBlockBytes / kUnit;
  void add_block(std::size_t bytes);

  struct FreeBlock {
    void operator()(std::byte* block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<std::byte, FreeBlock>> blocks_;
  ArenaRef next_ = 0;
  std::size_t left_ = 0;  // units in the last block
};

}  // namespace frond::indexer::dictionary
