#pragma once
// Which bytes of a text belong to words, found with vector instructions, 64 bytes at a time. Exact where a text is
// ASCII; elsewhere it says where the rules for whole code points must decide (next_token.cc).
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frond::text {

// Bits of 64 bytes of a text; bit 0 is the first byte.
struct TokenBits {
  std::uint64_t words = 0;   // ASCII letters, digits and underscores
  std::uint64_t inside = 0;  // the same, and ASCII characters that are inside a word between two letters or digits
  std::uint64_t odd = 0;     // bytes >= 0x80, and ASCII characters before one that might be inside a word
  std::uint64_t slow = 0;    // odd, and underscores: without these, words are the runs of `inside`
  // What might make more of a word than a term (term_spans.h): characters inside it that are not of `words`, its first
  // character if there is a dot before it, and any of @&+#.
  std::uint64_t care = 0;
};

// For the 64 bytes from 64 * first_block on, and so on for `blocks` blocks; bytes outside the text count as spaces.
void find_token_bits(std::string_view text, std::size_t first_block, std::size_t blocks, TokenBits* bits);

// Writes base + i for each bit i of `bits`, 64 of them a number, in order, and returns how many. `places` has room for
// kMorePlaces more.
inline constexpr std::size_t kMorePlaces = 16;
std::size_t find_places(const std::uint64_t* bits, std::size_t numbers, std::uint32_t base, std::uint32_t* places);

}  // namespace frond::text
