#pragma once
// Unicode's Word_Break property of code points (UAX #29), as far as search needs it.
// Differences: ideographs and hiragana have a class, as each is a word; scripts written without spaces (Thai, Khmer,
// Lao, Burmese) count as letters, so that a run of them is one word; Hebrew's quotes and emoji have no rules of their
// own here (cut_form.h, next_token()).
#include <array>
#include <cstdint>

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

}  // namespace frond::text
