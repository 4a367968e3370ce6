#pragma once
// The characters of a query, and which of them can be signs. Internal to this folder.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::query {

// What stands for a quotation mark in Glyph::sign; '"' is one of its own kind. A phrase ends at the next of its kind.
inline constexpr char kCurlyQuote = 1;   // “ ” „ ‟
inline constexpr char kAngleQuote = 2;   // « »
inline constexpr char kCornerQuote = 3;  // 「 」 『 』
inline constexpr char kQuoteKinds[] = {'"', kCurlyQuote, kAngleQuote, kCornerQuote};
inline constexpr char kLetter = 'a', kOther = 4;  // no signs

inline constexpr std::string_view kSigns = "\"()+-:*?~^[]{}<>=\\";  // of ASCII
// What it can be (Glyph::sign).
char sign_of(char32_t c);

// One code point, with the `\` before it.
struct Glyph {
  std::uint32_t begin = 0, at = 0;  // bytes: of the `\`, and of the character itself; equal without one
  std::uint32_t code_point = 0;     // how many code points there are before `begin`
  // What it can be: an ASCII sign, also for its full-width form; ' ' for every space; a quotation mark; kLetter for
  // letters, digits and '_'; kOther for what is always text.
  char sign = kOther;
  bool letter = false;  // of a word: kLetter, also behind a `\`
};

class Glyphs {
 public:
  // `text` is UTF-8 and outlives the object. One pass.
  explicit Glyphs(std::string_view text);

  std::size_t size() const { return glyphs_.size() - 1; }
  // At size() there is a space that is not in the text.
  const Glyph& operator[](std::size_t i) const { return glyphs_[i]; }
  char sign(std::size_t i) const { return glyphs_[i].sign; }
  bool is_quote(std::size_t i) const;
  // A unit ends before it: a space or a parenthesis.
  bool ends_unit(std::size_t i) const { return sign(i) == ' ' || sign(i) == '(' || sign(i) == ')'; }
  // Where the unit that begins or goes on at `i` ends.
  std::uint32_t unit_end(std::size_t i) const { return unit_ends_[i]; }
  // A `\` without a character behind it; size(): there is none.
  std::size_t lonely_escape() const { return lonely_escape_; }

  std::string_view source(std::size_t begin, std::size_t end) const;
  // Text for analysis: without the `\` before signs; one before a letter is what somebody wrote between two words.
  std::string text(std::size_t begin, std::size_t end) const;
  // A value: without any `\`.
  std::string value(std::size_t begin, std::size_t end) const;
  // A pattern: `*` and `?` as they are, and `\` before those that are text.
  std::string pattern(std::size_t begin, std::size_t end) const;
  bool has_letter(std::size_t begin, std::size_t end) const;
  bool all_digits(std::size_t begin, std::size_t end) const;

 private:
  std::string_view character(std::size_t i) const;

  std::string_view text_;
  std::vector<Glyph> glyphs_;
  std::size_t lonely_escape_ = 0;
  std::vector<std::uint32_t> letters_before_, unit_ends_;
};

}  // namespace frond::query
