#pragma once
// UTF-8, strictly: no surrogates, no overlong forms, nothing above U+10FFFF.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace frond::text {

inline constexpr char32_t kNoCodePoint = 0xffffffff;              // for a byte that is not UTF-8
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct CodePoint {
  char32_t value = kNoCodePoint;
  std::uint32_t bytes = 1;  // never 0, so that a loop over any bytes ends
};

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter_or_digit(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }
bool is_utf8(std::string_view text);
// The code point at text[at]; at < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t at);
// Appends a code point below U+110000 that is no surrogate.
void append_utf8(char32_t code_point, std::string& out);
// The greatest position <= at that does not split a code point of valid UTF-8.
std::size_t utf8_boundary(std::string_view text, std::size_t at);
// The text with each run of bytes that are not UTF-8 replaced by U+FFFD.
std::string repaired_utf8(std::string_view text);

}  // namespace frond::text
