#include "common/text/term_spans.h"

#include "common/text/normal_form.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

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

// Bytes of a character between parts at text[at]: 0 if it is none.
std::size_t joiner_bytes(std::string_view text, std::size_t at) {
  if (text[at] == '.' || text[at] == ':' || text[at] == '_') return 1;
  return text.substr(at).starts_with("\xc2\xb7") ? 2 : 0;
}
std::size_t apostrophe_bytes(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with('\'')) return 1;
  return rest.starts_with("\xe2\x80\x99") || rest.starts_with("\xe2\x80\x98") ? 3 : 0;
}

bool is_small(char c) { return (c >= 'a' && c <= 'z') || is_ascii_digit(c); }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
// Whether a part of a camelCase word begins at text[at].
bool part_begins_at(std::string_view text, std::size_t at, std::size_t end) {
  if (!is_capital(text[at])) return false;
  return is_small(text[at - 1]) ||
         (is_capital(text[at - 1]) && at + 1 < end && text[at + 1] >= 'a' && text[at + 1] <= 'z');
}

constexpr bool is_flag_letter(char32_t c) { return c >= 0x1f1e6 && c <= 0x1f1ff; }
// Marks of rights: people leave them out.
constexpr bool is_mark_of_rights(char32_t c) { return c == 0xa9 || c == 0xae || c == 0x2120 || c == 0x2122; }

}  // namespace

SpanRules span_rules(const AnalyzerConfig& config) {
  const bool standard3 = config.kind == AnalyzerKind::kStandard3;
  return {standard3, config.split_case, standard3 && config.stemmer != Stemmer::kTurkish};
}

TokenSpan next_part(std::string_view text, std::size_t from, std::size_t end, SpanRules rules) {
  constexpr auto kMayJoin = [] {
    std::array<bool, 256> table{};
    for (const unsigned char c : {'.', ':', '_', '\'', '\xc2', '\xe2'}) table[c] = true;
    return table;
  }();
  const std::string_view all = text.substr(0, end);
  std::size_t begin = from;
  while (begin < end) {
    const std::size_t bytes = joiner_bytes(all, begin) + apostrophe_bytes(all, begin);
    if (bytes == 0) break;
    begin += bytes;
  }
  for (std::size_t at = begin; at < end; ++at) {
    if (!kMayJoin[static_cast<unsigned char>(all[at])]) {
      if (rules.split_case && at > begin && part_begins_at(all, at, end)) return {begin, at};
      continue;
    }
    if (joiner_bytes(all, at) > 0) return {begin, at};
    const std::size_t apostrophe = rules.endings ? apostrophe_bytes(all, at) : 0;
    if (apostrophe > 0 && has_ending(all.substr(begin, at - begin), all.substr(at + apostrophe))) return {begin, at};
  }
  return {begin, end};
}

bool are_initials(std::string_view word) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < word.size(); ++letters) {
    if (letters > 0 && word[at++] != '.') return false;
    if (at == word.size()) return false;
    const CodePoint c = decode_utf8(word, at);
    if (word_class_of(c.value) != WordClass::kLetter) return false;
    at += c.bytes;
    while (at < word.size() && !is_ascii(word[at]) && word_class_of(decode_utf8(word, at).value) == WordClass::kExtend)
      at += decode_utf8(word, at).bytes;
  }
  return letters >= 2 && letters <= kMaxInitials;
}

bool begins_with_symbol(std::string_view token) {
  return !token.empty() && !is_ascii(token[0]) && is_symbol(decode_utf8(token, 0).value);
}

bool is_left_out(std::string_view text, TokenSpan symbol) {
  return is_mark_of_rights(decode_utf8(text, symbol.begin).value) && symbol.begin > 0 &&
         (!is_ascii(text[symbol.begin - 1]) || is_ascii_letter_or_digit(text[symbol.begin - 1]));
}

TokenSpan next_symbol_part(std::string_view symbol, std::size_t from) {
  for (std::size_t at = from; at < symbol.size();) {
    const CodePoint c = decode_utf8(symbol, at);
    const std::size_t begin = at;
    at += c.bytes;
    if (!is_symbol(c.value) || is_flag_letter(c.value)) continue;
    const std::string_view behind = symbol.substr(at);
    return {begin, at + (behind.starts_with("\xef\xb8\x8e") || behind.starts_with("\xef\xb8\x8f") ? 3 : 0)};
  }
  return {symbol.size(), symbol.size()};
}

std::size_t end_before_note(std::string_view text, TokenSpan token) {
  constexpr std::size_t kLeastBytes = 4;  // of a word; units are shorter
  std::size_t end = token.end;
  while (end > token.begin) {
    const std::size_t at = utf8_boundary(text, end - 1);
    if (at < token.begin || !is_raised_digit(decode_utf8(text, at).value)) break;
    end = at;
  }
  return end - token.begin >= kLeastBytes ? end : token.end;
}

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
