#pragma once
// Pieces of documents that go to the device together, as views. The device copies those in pinned memory from where
// they are; the bytes of others are copied to a pinned place first, at once, by several threads.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/terms/crew.h"

namespace frond::indexer::invert::gpu {

// Where documents are cut: before and behind a space, all analyzers find the same as in the whole. Behind the last one
// among the first `most` bytes; 0: there is none.
std::size_t end_of_words(std::string_view text, std::size_t most);
// The first one from a byte on. REQUIRES: there is one.
std::size_t end_of_word(std::string_view text, std::size_t from);

// One thread.
class TextPieces {
 public:
  // `number`: as TextPlace::piece_numbers. The bytes stay where they are until clear(). A piece ends with a byte that
  // ends every word.
  void put(std::string_view piece, std::uint32_t number, bool is_pinned);
  // Has the crew copy what is not pinned to a place that has room for all.
  void copy_to(const TextPlace& place, Crew& crew) const;
  // Where all the bytes are after it.
  std::vector<TextRun> runs(const TextPlace& place) const;
  // Whole pieces, of which one has byte `at` of the batch, and where they begin in it.
  struct Together {
    std::string_view text;
    std::uint32_t begin;
  };
  Together around(std::uint32_t at) const;
  std::string_view piece(std::size_t number) const;
  std::uint32_t bytes() const { return bytes_; }
  std::span<const std::uint32_t> numbers() const { return numbers_; }  // by piece
  bool empty() const { return numbers_.empty(); }
  void clear();  // keeps memory

 private:
  // Bytes that are together in both places: documents of a block are.
  struct Range {
    const char* from;
    std::uint32_t to, bytes;
    bool is_pinned;
  };
  std::vector<Range> ranges_;
  std::vector<std::uint32_t> begins_, numbers_;
  std::uint32_t bytes_ = 0;
};

}  // namespace frond::indexer::invert::gpu
