#include "indexer/invert/gpu/text/text_pieces.h"

#include <algorithm>
#include <cstring>

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kBytesOfAThread = std::size_t{1} << 20;  // copying fewer takes less time than beginning a thread
constexpr std::uint32_t kMaxRange = std::uint32_t{2} << 20;    // so that threads get about the same

}  // namespace

void TextPieces::put(std::string_view piece, std::uint32_t number) {
  begins_.push_back(bytes_);
  numbers_.push_back(number);
  const auto bytes = static_cast<std::uint32_t>(piece.size());
  if (!ranges_.empty() && ranges_.back().from + ranges_.back().bytes == piece.data() &&
      ranges_.back().bytes + bytes <= kMaxRange) {
    ranges_.back().bytes += bytes;
  } else if (bytes > 0) {
    ranges_.push_back({piece.data(), bytes_, bytes});
  }
  bytes_ += bytes;
}

void TextPieces::copy_to(const TextPlace& place, Crew& crew) const {
  std::copy(begins_.begin(), begins_.end(), place.piece_begins.begin());
  std::copy(numbers_.begin(), numbers_.end(), place.piece_numbers.begin());
  const auto parts = std::min(crew.parts_of(bytes_, kBytesOfAThread), crew.parts_of(ranges_.size(), 1));
  crew.in_parts(ranges_.size(), parts, [&](std::uint32_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(place.text.data() + ranges_[i].to, ranges_[i].from, ranges_[i].bytes);
  });
}

void TextPieces::clear() {
  ranges_.clear();
  begins_.clear();
  numbers_.clear();
  bytes_ = 0;
}

}  // namespace frond::indexer::invert::gpu
