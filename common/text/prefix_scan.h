#pragma once
// Where a text has some bytes of a word, found with vector instructions: a filter for what searches a text for few
// words.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frond::text {

inline constexpr std::size_t kScanBytes = 4096;  // of a text that are scanned at once; a multiple of 64
inline constexpr std::size_t kMaxReach = 15;

// Three bytes of what is looked for, and how far from its beginning they are: at most kMaxReach. Of a shorter word one
// comes twice. Bit 0x20 of bytes is ignored, so that small letters and capitals are the same; other bytes are confused
// with each other by that.
struct ByteTriple {
  std::array<std::uint8_t, 3> bytes{}, at{};
};

// Bits of a part of a text, by byte: bit p % 64 of word p / 64 is of the part's byte p.
using ScanBits = std::array<std::uint64_t, kScanBytes / 64>;

// Of the part that begins at text[from]: sets bits of `found` where one of the triples is found, and of `high` where a
// byte is not ASCII, for all bytes inside the text; the others of their words are 0. `from` < text.size(). There is at
// least one triple. Bytes past the text's end equal no byte above 0x20. As many words are written as the text has
// blocks of 64 bytes there, kScanBytes at most. False if no bit of `high` is set.
bool find_triples(std::string_view text, std::size_t from, std::span<const ByteTriple> triples, ScanBits& found,
                  ScanBits& high);

// The bits that are set in the first `blocks` words, by number, in order. Valid as long as `places`.
using ScanPlaces = std::array<std::uint16_t, kScanBytes>;
std::span<const std::uint16_t> places_of(const ScanBits& bits, std::size_t blocks, ScanPlaces& places);

}  // namespace frond::text
