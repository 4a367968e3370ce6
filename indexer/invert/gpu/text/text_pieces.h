#pragma once
// Pieces of documents that go to the device together, as views; their bytes are copied at once, by several threads.
#include <cstdint>
#include <string_view>
#include <vector>

#include "indexer/invert/gpu/text/crew.h"
#include "indexer/invert/gpu/text/device_text.h"

namespace frond::indexer::invert::gpu {

// One thread.
class TextPieces {
 public:
  // `number`: as TextSide::piece_numbers. The bytes must stay until copy_to().
  void put(std::string_view piece, std::uint32_t number);
  // Has the crew copy all of it to a place that has room for it.
  void copy_to(const TextPlace& place, Crew& crew) const;
  std::uint32_t bytes() const { return bytes_; }
  std::span<const std::uint32_t> numbers() const { return numbers_; }  // by piece
  bool empty() const { return numbers_.empty(); }
  void clear();  // keeps memory

 private:
  // Bytes that are together in both places: documents of a block are.
  struct Range {
    const char* from;
    std::uint32_t to, bytes;
  };
  std::vector<Range> ranges_;
  std::vector<std::uint32_t> begins_, numbers_;
  std::uint32_t bytes_ = 0;
};

}  // namespace frond::indexer::invert::gpu
