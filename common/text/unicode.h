#pragma once
// What search needs of Unicode's properties: the Word_Break property of code points (UAX #29), grapheme clusters,
// letter case.
//
// Differences of word classes: ideographs and hiragana have a class, as each is a word; scripts written without spaces
// (Thai, Khmer, Lao, Burmese) count as letters, so that a run of them is one word; Hebrew's quotes and emoji have no
// rules of their own here (cut_form.h, next_token()).
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frond::text {

enum class WordClass : std::uint8_t {
  kBreak,   // ends a word and belongs to none
  kLetter,  // ALetter, Hebrew_Letter
  kDigit,   // Numeric
  kKatakana,
  kConnector,  // ExtendNumLet: in a word, but none alone
  kAlone,      // ideographs and hiragana: a word each
  kExtend,     // Extend, Format, ZWJ: belongs to what it follows
  kMidLetter,  // in a word between letters
  kMidDigit,   // in a word between digits
  kMidBoth,    // in a word between two letters or two digits
};

WordClass word_class_of(char32_t code_point);  // of any; kBreak for what is not assigned

// Emoji, currencies, mathematical and other signs that are terms of standard3, of class kBreak. None is ASCII, nor
// looks like ASCII punctuation; no lines and blocks, of which tables are drawn.
bool is_symbol(char32_t code_point);
// Raised and lowered digits (m², CO₂), of class kBreak; digits to standard3.
constexpr bool is_raised_digit(char32_t c) {
  return c == 0xb2 || c == 0xb3 || c == 0xb9 || c == 0x2070 || (c >= 0x2074 && c <= 0x2079);
}
constexpr bool is_lowered_digit(char32_t c) { return c >= 0x2080 && c <= 0x2089; }

namespace word_class_detail {
constexpr std::array<WordClass, 128> ascii_table() {
  std::array<WordClass, 128> table{};
  for (char c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = WordClass::kLetter;
  for (char c = '0'; c <= '9'; ++c) table[c] = WordClass::kDigit;
  table['_'] = WordClass::kConnector;
  table[':'] = WordClass::kMidLetter;
  table[','] = table[';'] = WordClass::kMidDigit;
  table['.'] = table['\''] = WordClass::kMidBoth;
  return table;
}
}  // namespace word_class_detail
inline constexpr std::array<WordClass, 128> kAsciiWordClass = word_class_detail::ascii_table();

// Grapheme clusters (UAX #29): what readers take for one character, as a letter with its accents, a flag, or an emoji
// with its skin tone. No reader means the longer ones that a text may have: behind 64 code points of a cluster, each
// further one is a cluster of its own.

// The greatest place <= at, and the least one >= at, at which a cluster of `text` begins or the text ends. Bytes that
// are not UTF-8 are clusters of their own. Looks at 64 code points on either side, and back as far as a run of flags
// reaches.
std::size_t cluster_begin(std::string_view text, std::size_t at);
std::size_t cluster_end(std::string_view text, std::size_t at);

// `lower` itself, its capital, its title case and one more; several may be the same. Complete for what is its own lower
// case: every code point that utf8proc's simple mapping takes to `lower` is among them.
std::array<char32_t, 4> letters_with_lower_case(char32_t lower);
// Each code point in its lower case, as in the words of the analyzer standard; bytes that are not UTF-8 stay.
std::string small_letters(std::string_view text);

}  // namespace frond::text
