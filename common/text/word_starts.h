#pragma once
// Where words may begin in a text, found with vector instructions: a filter for what searches a text for few words.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frond::text {

// Bits of 64 bytes of a text; bit 0 is the first byte.
struct WordBits {
  std::uint64_t starts = 0;  // an ASCII letter, digit or underscore after another byte, or the first of bytes >= 0x80
  std::uint64_t spaces = 0;  // <= 0x20. No token contains one, so what is between two of them can be cut alone
};

// How words that are looked for begin. Letters are in lower case.
struct FirstTwo {
  char first = 0;
  char second = 0;  // 0: any. A word passes too if what follows its first letter is no letter
};

// For the bytes from each multiple of 64 on; bytes past the end of the text count as spaces. `bits` has room for
// text.size() / 64, rounded up. The byte before the text counts as a space. Unless `wanted` is empty, starts of ASCII
// words that begin like none of them are left out, though not all of those.
void find_word_starts(std::string_view text, std::span<const FirstTwo> wanted, WordBits* bits);

}  // namespace frond::text
