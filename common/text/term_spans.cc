#include "common/text/term_spans.h"

#include "common/text/utf8.h"
#include "common/text/word_class.h"

namespace frond::text {
namespace {

constexpr std::size_t kMaxAmpersandPart = 3;  // bytes: AT&T and R&D are names, black&white are two words

bool lies_in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_hangul_syllable(char32_t c) { return lies_in(c, 0xac00, 0xd7a3); }
bool is_leading_jamo(char32_t c) { return lies_in(c, 0x1100, 0x115f) || lies_in(c, 0xa960, 0xa97c); }
// Vowels and final consonants, which follow a leading one in a syllable.
bool is_following_jamo(char32_t c) { return lies_in(c, 0x1160, 0x11ff) || lies_in(c, 0xd7b0, 0xd7fb); }

Gram::Script script_of(char32_t c) {
  if (c < 0xe00) return Gram::Script::kNone;
  const WordClass cls = word_class_of(c);
  if (cls == WordClass::kAlone)  // ideographs and hiragana
    return lies_in(c, 0x3041, 0x309f) ? Gram::Script::kOther : Gram::Script::kIdeograph;
  if (cls == WordClass::kKatakana) return Gram::Script::kOther;
  if (cls != WordClass::kLetter) return Gram::Script::kNone;
  if (is_hangul_syllable(c) || is_leading_jamo(c)) return Gram::Script::kHangul;
  const bool thai_or_lao = lies_in(c, 0xe00, 0xeff), burmese = lies_in(c, 0x1000, 0x109f);
  return thai_or_lao || burmese || lies_in(c, 0x1780, 0x17ff) ? Gram::Script::kOther : Gram::Script::kNone;
}

bool extends(char32_t c, Gram::Script script) {
  if (word_class_of(c) == WordClass::kExtend) return true;
  return script == Gram::Script::kHangul && is_following_jamo(c);
}

// Whether ".NET" may begin with the dot at `dot`.
bool begins_with_dot(std::string_view text, std::size_t dot) {
  if (dot == 0) return true;
  const char before = text[dot - 1];
  return static_cast<unsigned char>(before) <= ' ' || std::string_view("(\"'/,").find(before) != std::string_view::npos;
}

// Whether the word and the next, which begins behind the & at word.end, are a name as AT&T.
bool joined_by_ampersand(std::string_view text, TokenSpan word) {
  if (word.end - word.begin > kMaxAmpersandPart || !is_ascii_letter(text[word.begin])) return false;
  std::size_t at = word.end + 1;
  if (at >= text.size() || !is_ascii_letter(text[at])) return false;
  while (at < text.size() && at - word.end <= kMaxAmpersandPart + 1 && is_ascii_letter_or_digit(text[at])) ++at;
  return at - word.end - 1 <= kMaxAmpersandPart;
}

}  // namespace

Gram next_gram(std::string_view text, std::size_t from, std::size_t end) {
  for (std::size_t at = from; at < end;) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint c = decode_utf8(text, at);
    const Gram::Script script = c.value == kNoCodePoint ? Gram::Script::kNone : script_of(c.value);
    const std::size_t begin = at;
    at += c.bytes;
    if (script == Gram::Script::kNone) continue;
    while (at < end && static_cast<unsigned char>(text[at]) >= 0x80) {
      const CodePoint next = decode_utf8(text, at);
      if (next.value == kNoCodePoint || !extends(next.value, script)) break;
      at += next.bytes;
    }
    return {begin, std::min(at, end), script};
  }
  return {end, end, Gram::Script::kNone};
}

TokenSpan between_letters(std::string_view text, std::size_t begin, std::size_t end) {
  TokenSpan found{end, end};
  bool any = false;
  for (std::size_t at = begin; at < end;) {
    const CodePoint c = decode_utf8(text, at);
    const WordClass cls = c.value == kNoCodePoint ? WordClass::kBreak : word_class_of(c.value);
    const bool letter = cls == WordClass::kLetter || cls == WordClass::kDigit;
    if (letter && !any) found.begin = at;
    any = any || letter;
    at += c.bytes;
    if (letter || (any && cls == WordClass::kExtend && found.end + c.bytes == at)) found.end = at;
  }
  return found;
}

Surroundings surroundings(std::string_view text, TokenSpan word) {
  Surroundings found{word.begin, word.end, false};
  const std::string_view after = text.substr(word.end);
  if (word.begin > 0 && text[word.begin - 1] == '.' && is_ascii_letter(text[word.begin]) &&
      word.end - word.begin < kMaxTokenBytes && begins_with_dot(text, word.begin - 1))
    --found.begin;
  if (after.empty()) return found;
  if (after[0] == '@') {
    found.joined = after.size() > 1 && is_ascii_letter_or_digit(after[1]);
  } else if (after[0] == '&') {
    found.joined = joined_by_ampersand(text, word);
  } else if (after.starts_with("++") && !after.starts_with("+++")) {
    if (word.end - found.begin + 2 <= kMaxTokenBytes) found.end += 2;
  } else if (after[0] == '#' && word.end - word.begin == 1 && is_ascii_letter(text[word.begin])) {
    if (after.size() == 1 || (!is_ascii_letter_or_digit(after[1]) && after[1] != '#')) ++found.end;
  }
  return found;
}

}  // namespace frond::text
