#include "common/query/language/glyphs.h"

#include <algorithm>
#include <iterator>

#include "common/query/pattern.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::query {
namespace {

bool is_space_point(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_letter_point(char32_t c) {
  using text::WordClass;
  const WordClass its = text::word_class_of(c);
  return its == WordClass::kLetter || its == WordClass::kDigit || its == WordClass::kKatakana ||
         its == WordClass::kConnector || its == WordClass::kAlone || text::is_symbol(c);
}

}  // namespace

char sign_of(char32_t c) {
  if (is_space_point(c)) return ' ';
  if (c >= 0x201c && c <= 0x201f) return kCurlyQuote;
  if (c == 0xab || c == 0xbb) return kAngleQuote;
  if (c >= 0x300c && c <= 0x300f) return kCornerQuote;
  if (c == 0x2212) return '-';                                               // minus
  const char32_t ascii = c >= 0xff01 && c <= 0xff5e ? c - 0xff01 + '!' : c;  // full-width forms
  if (ascii < 0x80 && kSigns.find(static_cast<char>(ascii)) != std::string_view::npos) return static_cast<char>(ascii);
  return is_letter_point(c) ? kLetter : kOther;
}

Glyphs::Glyphs(std::string_view text) : text_(text) {
  std::uint32_t code_point = 0;
  lonely_escape_ = std::string_view::npos;
  bool escape = false;
  for (std::size_t at = 0; at < text.size(); ++code_point) {
    const text::CodePoint decoded = text::decode_utf8(text, at);
    const auto here = static_cast<std::uint32_t>(at);
    at += decoded.bytes;
    const char sign = sign_of(decoded.value);
    if (escape) {
      escape = false;
      glyphs_.back().at = here;
      glyphs_.back().letter = sign == kLetter;
      continue;
    }
    escape = sign == '\\';
    glyphs_.push_back({here, here, code_point, escape ? kOther : sign, sign == kLetter});
  }
  lonely_escape_ = escape ? glyphs_.size() - 1 : glyphs_.size();
  const auto end = static_cast<std::uint32_t>(text.size());
  glyphs_.push_back({end, end, code_point, ' ', false});
  unit_ends_.resize(glyphs_.size());
  for (std::size_t i = glyphs_.size(); i-- > 0;)
    unit_ends_[i] = ends_unit(i) ? static_cast<std::uint32_t>(i) : unit_ends_[i + 1];
  letters_before_.push_back(0);
  for (const Glyph& glyph : glyphs_) letters_before_.push_back(letters_before_.back() + (glyph.letter ? 1 : 0));
}

bool Glyphs::is_quote(std::size_t i) const { return std::ranges::find(kQuoteKinds, sign(i)) != std::end(kQuoteKinds); }

std::string_view Glyphs::source(std::size_t begin, std::size_t end) const {
  return text_.substr(glyphs_[begin].begin, glyphs_[end].begin - glyphs_[begin].begin);
}

std::string_view Glyphs::character(std::size_t i) const {
  return text_.substr(glyphs_[i].at, glyphs_[i + 1].begin - glyphs_[i].at);
}

std::string Glyphs::text(std::size_t begin, std::size_t end) const {
  std::string text;
  for (std::size_t i = begin; i < end; ++i)
    text += glyphs_[i].letter ? text_.substr(glyphs_[i].begin, glyphs_[i + 1].begin - glyphs_[i].begin) : character(i);
  return text;
}

std::string Glyphs::value(std::size_t begin, std::size_t end) const {
  std::string value;
  for (std::size_t i = begin; i < end; ++i) value += character(i);
  return value;
}

std::string Glyphs::pattern(std::size_t begin, std::size_t end) const {
  std::string pattern;
  for (std::size_t i = begin; i < end; ++i) {
    if (sign(i) == '*' || sign(i) == '?')
      pattern += sign(i);  // also for the full-width form
    else
      pattern += escaped_pattern(character(i));
  }
  return pattern;
}

bool Glyphs::has_letter(std::size_t begin, std::size_t end) const {
  return letters_before_[begin] != letters_before_[end];
}

bool Glyphs::all_digits(std::size_t begin, std::size_t end) const {
  const std::string_view all = source(begin, end);
  return std::ranges::all_of(all, [](char c) { return text::is_ascii_digit(c) || c == '.'; });
}

}  // namespace frond::query
