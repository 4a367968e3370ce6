#include "common/text/snippets/wanted_words.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "common/text/normal_form.h"
#include "common/text/token_cutter.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

// Of 1,000 letters of English text, from a on.
constexpr std::array<std::uint8_t, 26> kFrequency = {82, 15, 28, 43, 127, 22, 20, 61, 70, 2,  8, 40, 24,
                                                     67, 75, 19, 1,  60,  63, 91, 28, 10, 24, 2, 20, 1};
std::uint32_t frequency(char c) { return c >= 'a' && c <= 'z' ? kFrequency[static_cast<std::size_t>(c - 'a')] : 5; }

char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }
char32_t lower_code_point(std::string_view text, std::size_t at, std::uint32_t& bytes) {
  const CodePoint c = decode_utf8(text, at);
  bytes = c.bytes;
  if (c.value == kNoCodePoint) return kNoCodePoint;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value)));
}

ByteTriple triple_of(std::string_view bytes, std::array<std::size_t, 3> at) {
  ByteTriple triple;
  for (std::size_t i = 0; i < at.size(); ++i) {
    triple.bytes[i] = static_cast<std::uint8_t>(bytes[at[i]]);
    triple.at[i] = static_cast<std::uint8_t>(at[i]);
  }
  return triple;
}

// Of characters of most alphabets, with which byte their normal form begins, with accents folded; 0 if it is no letter,
// or is dropped, so that this says nothing of the word.
constexpr char32_t kFirstLetter = 0xc0, kLetters = 0x1000;
char first_byte_of(char32_t c) {
  static const std::vector<char> table = [] {
    std::vector<char> first(kLetters - kFirstLetter);
    NormalForm form(true);
    std::string letter, folded;
    for (char32_t one = kFirstLetter; one < kLetters; ++one) {
      letter.clear();
      append_utf8(one, letter);
      form.apply(letter, folded);
      const bool says = !folded.empty() &&
                        utf8proc_get_property(static_cast<utf8proc_int32_t>(one))->combining_class == 0 &&
                        (!is_ascii(folded[0]) || is_ascii_letter(folded[0]));
      first[one - kFirstLetter] = says ? folded[0] : '\0';
    }
    return first;
  }();
  return c >= kFirstLetter && c < kLetters ? table[c - kFirstLetter] : '\0';
}
// Whether a character may change the one before it: marks, and letters of Hangul, which are beyond the table.
bool may_join(char32_t c) { return first_byte_of(c) == '\0'; }

// The three bytes that other words have least.
ByteTriple rarest_triple(std::string_view ascii) {
  std::array<std::size_t, 3> rarest{};
  std::array<std::uint32_t, 3> least;
  least.fill(~std::uint32_t{0});
  for (std::size_t i = 0; i < ascii.size(); ++i) {
    std::size_t place = i;
    std::uint32_t frequent = frequency(ascii[i]);
    for (std::size_t k = 0; k < rarest.size(); ++k) {
      if (frequent >= least[k]) continue;
      std::swap(place, rarest[k]);
      frequent = std::exchange(least[k], frequent);
    }
  }
  for (std::size_t k = ascii.size(); k < rarest.size(); ++k) rarest[k] = rarest[0];
  return triple_of(ascii, rarest);
}

// The term without the letters at its end that may be others in the word.
std::string_view kept_by_stemmers(std::string_view term) {
  std::size_t changed = 0;
  if (term.ends_with("ble") || term.ends_with("ie"))
    changed = 2;
  else if (term.ends_with("bl") || term.ends_with('e') || term.ends_with('i') || term.ends_with('y'))
    changed = 1;
  return term.substr(0, term.size() > changed ? term.size() - changed : 1);
}

// Whether the first letter of a word that has_plain_form() and of its stem are the same. Of the others Indonesian's and
// Irish's remove prefixes, Serbian's writes Cyrillic words in Latin letters, and Turkish's may change the last
// consonant of what remains, which can be the first.
bool keeps_first_letter(Stemmer stemmer) {
  return stemmer != Stemmer::kIndonesian && stemmer != Stemmer::kIrish && stemmer != Stemmer::kSerbian &&
         stemmer != Stemmer::kTurkish;
}

}  // namespace

WantedWords::WantedWords(std::size_t terms) {
  words_.reserve(terms);
  triples_.reserve(terms);
}

void WantedWords::add(TokenPrefix prefix) {
  const auto ascii = static_cast<std::size_t>(std::ranges::find_if_not(prefix.bytes, is_ascii) - prefix.bytes.begin());
  const std::string_view start = prefix.bytes.substr(0, std::min(ascii, kMaxReach + 1));
  Word& word = words_.emplace_back();
  word.prefix = prefix;
  ascii_only_ = ascii_only_ && ascii == prefix.bytes.size();
  word.enough =
      start.size() == prefix.bytes.size() && start.size() <= sizeof(word.value) && prefix.any_letter_may_follow;
  std::memcpy(&word.value, start.data(), std::min(start.size(), sizeof(word.value)));
  std::memset(&word.mask, 0xff, std::min(start.size(), sizeof(word.mask)));
  word.value |= kBit0x20 & word.mask;
  if (!start.empty()) {
    triples_.push_back(rarest_triple(start));
    return;
  }
  std::array<char32_t, 4> letters = letters_with_lower_case(decode_utf8(prefix.bytes, 0).value);
  std::ranges::sort(letters);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i > 0 && letters[i] == letters[i - 1]) continue;
    std::string bytes;
    append_utf8(letters[i], bytes);
    triples_.push_back(triple_of(bytes, {0, 1, bytes.size() - 1}));
  }
}

bool WantedWords::begins_with(std::string_view text, std::size_t at, const TokenPrefix& prefix) {
  for (std::size_t i = 0; i < prefix.bytes.size();) {
    if (at >= text.size()) return false;
    if (is_ascii(text[at])) {
      if (lower(text[at++]) != prefix.bytes[i++]) return false;
      continue;
    }
    std::uint32_t bytes = 1;
    const char32_t c = lower_code_point(text, at, bytes);
    const CodePoint wanted = decode_utf8(prefix.bytes, i);
    if (c == kNoCodePoint || c != wanted.value) return false;
    at += bytes;
    i += wanted.bytes;
  }
  if (prefix.any_letter_may_follow || at >= text.size()) return true;
  // A letter belongs to the token too, unless that got too long (in lower case a third, at least) or ended before.
  if (prefix.bytes.size() >= kMaxTokenBytes / 4 || !is_ascii(prefix.bytes.back())) return true;
  const char c = lower(text[at]);
  if (c < 'a' || c > 'z' || c == 's') return true;
  return c == 'e' && at + 1 < text.size() && lower(text[at + 1]) == 's';
}

bool WantedWords::may_go_on_with(std::string_view text, std::size_t begin, std::size_t at, char32_t c) const {
  const std::string_view before = text.substr(begin, at - begin);
  if (!ascii_only_ || before.find(',') != before.npos) return true;
  const std::size_t kept = before.size() - (!before.empty() && may_join(c) ? 1 : 0);  // letters that stay as they are
  const char first = first_byte_of(c);
  for (std::size_t from = 0; from <= before.size(); ++from) {
    if (from > 0 && is_ascii_letter_or_digit(before[from - 1])) continue;  // no span begins here
    const std::string_view spelled = before.substr(from, std::max(from, kept) - from);
    for (const Word& word : words_) {
      const std::string_view prefix = word.prefix.bytes;
      if (from == before.size()) {
        if (first == '\0' || first == prefix[0]) return true;
      } else if (prefix.size() > spelled.size() &&
                 std::ranges::equal(spelled, prefix.substr(0, spelled.size()), {}, lower)) {
        return true;  // if it is not longer, it is in the text as it stands
      }
    }
  }
  return false;
}

bool WantedWords::may_begin_near_end(std::string_view text, std::size_t at) const {
  return std::ranges::any_of(words_, [&](const Word& word) { return begins_with(text, at, word.prefix); });
}

std::optional<TokenPrefix> token_prefix(const AnalyzerConfig& config, std::string_view term) {
  // All that a configuration holds: whoever adds something decides here what it does to the beginnings of tokens.
  const auto& [stemmer, stop_words, kind, fold_accents, split_case] = config;
  (void)stop_words;                // drops whole tokens only
  (void)kind, (void)fold_accents;  // what these change the beginning of, find_spans() looks for in other ways
  // "C++Builder" has the term "c++", and camelCase has "camel".
  const bool ends_anywhere = term.ends_with('+') || split_case;
  switch (stemmer) {
    case Stemmer::kNone:
      return TokenPrefix{term, ends_anywhere};
    case Stemmer::kPorter:
    case Stemmer::kEnglish:
      if (term.find_first_of("aeiouy") == std::string_view::npos) return TokenPrefix{term, ends_anywhere};
      return TokenPrefix{kept_by_stemmers(term), true};
    default:
      if (!keeps_first_letter(stemmer)) return std::nullopt;
      return TokenPrefix{term.substr(0, decode_utf8(term, 0).bytes), true};
  }
}

}  // namespace frond::text
