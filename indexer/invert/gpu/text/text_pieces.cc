#include "indexer/invert/gpu/text/text_pieces.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "common/base/check.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kBytesOfAThread = std::size_t{1} << 20;  // copying fewer takes less time than beginning a thread
constexpr std::uint32_t kMaxRange = std::uint32_t{2} << 20;    // so that threads get about the same

bool is_space(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

}  // namespace

std::size_t end_of_words(std::string_view text, std::size_t most) {
  while (most > 0 && !is_space(text[most - 1])) --most;
  return most;
}

std::size_t end_of_word(std::string_view text, std::size_t from) {
  while (!is_space(text[from])) ++from;
  return from;
}

void TextPieces::put(std::string_view piece, std::uint32_t number, bool is_pinned) {
  begins_.push_back(bytes_);
  numbers_.push_back(number);
  const auto bytes = static_cast<std::uint32_t>(piece.size());
  if (!ranges_.empty() && ranges_.back().from + ranges_.back().bytes == piece.data() &&
      ranges_.back().bytes + bytes <= kMaxRange) {
    ranges_.back().bytes += bytes;
  } else if (bytes > 0) {
    ranges_.push_back({piece.data(), bytes_, bytes, is_pinned});
  }
  bytes_ += bytes;
}

void TextPieces::copy_to(const TextPlace& place, Crew& crew) const {
  std::copy(begins_.begin(), begins_.end(), place.piece_begins.begin());
  std::copy(numbers_.begin(), numbers_.end(), place.piece_numbers.begin());
  const bool all_pinned =
      std::all_of(ranges_.begin(), ranges_.end(), [](const Range& range) { return range.is_pinned; });
  if (all_pinned) return;
  const auto parts = std::min(crew.parts_of(bytes_, kBytesOfAThread), crew.parts_of(ranges_.size(), 1));
  crew.in_parts(ranges_.size(), parts, [&](std::uint32_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!ranges_[i].is_pinned) std::memcpy(place.text.data() + ranges_[i].to, ranges_[i].from, ranges_[i].bytes);
  });
}

std::vector<TextRun> TextPieces::runs(const TextPlace& place) const {
  std::vector<TextRun> all;
  for (const Range& range : ranges_) {
    const auto* const from =
        range.is_pinned ? reinterpret_cast<const std::uint8_t*>(range.from) : place.text.data() + range.to;
    if (!all.empty() && all.back().from + all.back().bytes == from)
      all.back().bytes += range.bytes;
    else
      all.push_back({from, range.to, range.bytes});
  }
  return all;
}

TextPieces::Together TextPieces::around(std::uint32_t at) const {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                       [](std::uint32_t place, const Range& range) { return place < range.to; });
  FROND_CHECK(behind != ranges_.begin());
  const Range& range = *std::prev(behind);
  return {{range.from, range.bytes}, range.to};
}

std::string_view TextPieces::piece(std::size_t number) const {
  const std::uint32_t begin = begins_[number], end = number + 1 < begins_.size() ? begins_[number + 1] : bytes_;
  if (begin == end) return {};
  const Together all = around(begin);
  return all.text.substr(begin - all.begin, end - begin);
}

void TextPieces::clear() {
  ranges_.clear();
  begins_.clear();
  numbers_.clear();
  bytes_ = 0;
}

}  // namespace frond::indexer::invert::gpu
