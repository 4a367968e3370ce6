#pragma once
// Memory for many tables that grow by doubling. Tables are read at random: where thousands of them lie in a few large
// pages, a look-up waits for its table only, not for the system's page tables too.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace frond::indexer::dictionary {

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
