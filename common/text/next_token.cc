// Where words begin and end: the word boundary rules of UAX #29 over the classes of unicode.h, kept to words.
#include <algorithm>

#include "common/text/token_cutter.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

struct Step {
  WordClass cls = WordClass::kBreak;
  std::uint32_t bytes = 1;
  bool raised = false;  // or lowered
};

Step step_at(std::string_view text, std::size_t at, TokenRules rules) {
  const auto byte = static_cast<std::uint8_t>(text[at]);
  if (byte < 0x80) return {kAsciiWordClass[byte], 1};
  const CodePoint c = decode_utf8(text, at);
  const WordClass cls = word_class_of(c.value);
  const bool raised = rules == TokenRules::kWordsAndSymbols && cls == WordClass::kBreak &&
                      (is_raised_digit(c.value) || is_lowered_digit(c.value));
  return {raised ? WordClass::kDigit : cls, c.bytes, raised};
}

bool joins(WordClass before, WordClass next) {
  switch (next) {
    case WordClass::kLetter:
    case WordClass::kDigit:
      return before != WordClass::kKatakana;
    case WordClass::kKatakana:
      return before == WordClass::kKatakana || before == WordClass::kConnector;
    case WordClass::kConnector:
      return true;
    default:
      return false;
  }
}

// The class that is needed on both sides of a character for it to be inside a word; kBreak if none is enough.
WordClass partner(WordClass before, WordClass mid) {
  if (before == WordClass::kLetter && (mid == WordClass::kMidLetter || mid == WordClass::kMidBoth)) return before;
  if (before == WordClass::kDigit && (mid == WordClass::kMidDigit || mid == WordClass::kMidBoth)) return before;
  return WordClass::kBreak;
}

// Skips the code points that extend the one before `at`, up to `limit`.
std::size_t skip_extend(std::string_view text, std::size_t at, std::size_t limit) {
  while (at < limit) {
    const Step step = step_at(text, at, TokenRules::kWords);
    if (step.cls != WordClass::kExtend || at + step.bytes > limit) break;
    at += step.bytes;
  }
  return at;
}

// The end of the word that starts at `begin` with `first`, at most at `limit`.
// `words`: whether anything but connectors is in it.
std::size_t word_end(std::string_view text, std::size_t at, std::size_t limit, const Step& first, TokenRules rules,
                     bool& words) {
  WordClass before = first.cls;
  bool raised = first.raised;
  while (at < limit) {
    if (before != WordClass::kKatakana && is_ascii_letter(text[at])) {  // as most of most words is
      do ++at;
      while (at < limit && is_ascii_letter(text[at]));
      words = true;
      before = WordClass::kLetter;
      continue;
    }
    Step step = step_at(text, at, rules);
    std::size_t next = at + step.bytes;
    if (step.cls == WordClass::kExtend) {
      if (next > limit) break;
      at = next;
      continue;
    }
    if (step.cls >= WordClass::kMidLetter) {
      const WordClass wanted = partner(before, step.cls);
      if (wanted == WordClass::kBreak) break;
      next = skip_extend(text, next, limit);
      if (next >= limit) break;
      step = step_at(text, next, rules);
      if (step.cls != wanted) break;
      next += step.bytes;
    } else if (!joins(before, step.cls) || (step.raised && !raised && before == WordClass::kDigit)) {
      break;
    }
    if (next > limit) break;
    words = words || step.cls != WordClass::kConnector;
    before = step.cls;
    raised = step.raised;
    at = next;
  }
  return at;
}

}  // namespace

TokenSpan next_token(std::string_view text, std::size_t from, TokenRules rules) {
  for (std::size_t at = from; at < text.size();) {
    const Step first = step_at(text, at, rules);
    const std::size_t begin = at;
    at += first.bytes;
    const std::size_t limit = std::min(text.size(), begin + kMaxTokenBytes);
    if (first.cls == WordClass::kBreak || first.cls >= WordClass::kExtend) {
      if (rules == TokenRules::kWords || first.bytes == 1 || !is_symbol(decode_utf8(text, begin).value)) continue;
      const std::string_view rest = text.substr(begin, utf8_boundary(text, limit) - begin);
      return {begin, begin + cluster_end(rest, first.bytes)};
    }
    if (first.cls == WordClass::kAlone) return {begin, skip_extend(text, at, limit)};
    bool words = first.cls != WordClass::kConnector;
    at = word_end(text, at, limit, first, rules, words);
    if (words) return {begin, at};
  }
  return {text.size(), text.size()};
}

}  // namespace frond::text
