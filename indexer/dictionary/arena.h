#pragma once
// Memory that is allocated in small pieces and freed all at once. Pieces have 32-bit references (in units of 8 bytes):
// half the size of a pointer, in tables that hold millions of them.
#include <array>
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

  // `bytes` (1 .. kBlockBytes) of uninitialised memory, aligned to kUnit. Keeps its address until clear().
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

// Memory for many tables that grow by doubling. Tables are read at random: where thousands of them lie in a few large
// pages, a look-up waits for its table only, not for the system's page tables too.

// One thread. What tables have left is used again by tables of that size.
class TableMemory {
 public:
  static constexpr std::size_t kLeastBytes = 64;  // of a piece
  static constexpr std::size_t kFirstBlock = std::size_t{128} << 10, kLargeBlock = std::size_t{2} << 20;

  TableMemory() = default;
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  // `bytes`, a power of two and at least kLeastBytes, of uninitialised memory, aligned to kLeastBytes. Keeps its
  // address until give() or clear(). Throws std::bad_alloc.
  std::byte* take(std::size_t bytes);
  // Takes back what take(bytes) gave.
  void give(std::byte* piece, std::size_t bytes);
  // What it holds, whether in use or not. The next take() adds kLargeBlock at most, or a larger piece itself.
  std::size_t bytes() const { return bytes_; }
  void clear();

 private:
  struct FreeBlock {
    void operator()(std::byte* block) const { std::free(block); }
  };
  struct Block {
    std::unique_ptr<std::byte, FreeBlock> begin;
    std::size_t bytes = 0;
  };
  std::byte* add_block(std::size_t bytes);
  void keep(std::byte* piece, std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  std::byte* next_ = nullptr;          // in the last block that pieces are cut from
  std::size_t left_ = 0;               // bytes of it
  std::array<std::byte*, 64> kept_{};  // by the logarithm of their bytes: a list through their first bytes
};

}  // namespace frond::indexer::dictionary
