#pragma once
// Where a text has one of some pairs of bytes, found with vector instructions: a filter for what searches a text for
// few words.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frond::text {

inline constexpr std::size_t kScanBytes = 4096;  // of a text that are scanned at once; a multiple of 64
inline constexpr std::size_t kMaxPairReach = 15;

// Two bytes of what is looked for, and how far from its beginning they are: at most kMaxPairReach. Bit 0x20 of bytes is
// ignored, so that small letters and capitals are the same; other bytes are confused with each other by that.
struct BytePair {
  std::uint8_t first = 0, second = 0;
  std::uint8_t first_at = 0, second_at = 0;
};

// Sets bit p % 64 of bits[p / 64] if one of the pairs is found from text[from + p] on, for all p < kScanBytes inside
// the text; the others are 0. `from` < text.size(). There is at least one pair. Bytes past the text's end equal no byte
// above 0x20. `bits`: room for kScanBytes / 64, of which as many are written as the text has blocks of 64 bytes there.
// False if all bytes that were scanned, up to kScanBytes, are ASCII.
bool find_pairs(std::string_view text, std::size_t from, std::span<const BytePair> pairs, std::uint64_t* bits);

}  // namespace frond::text
