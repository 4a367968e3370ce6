#pragma once
// For what searches a text for few words: how the tokens of their terms begin, and where a text has such beginnings,
// found with vector instructions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/analyzer_config.h"

namespace frond::text {

inline constexpr std::size_t kScanBytes = 4096;  // of a text that are scanned at once; a multiple of 64
inline constexpr std::size_t kMaxReach = 15;

// Three bytes of what is looked for, and how far from its beginning they are: at most kMaxReach. Of a shorter word one
// comes twice. Bit 0x20 of bytes is ignored, so that small letters and capitals are the same; other bytes are confused
// with each other by that.
struct ByteTriple {
  std::array<std::uint8_t, 3> bytes{}, at{};
};

// Bits of a part of a text, by byte: bit p % 64 of word p / 64 is of the part's byte p.
using ScanBits = std::array<std::uint64_t, kScanBytes / 64>;

// Of the part that begins at text[from]: sets bits of `found` where one of the triples is found, and of `high` where a
// byte is not ASCII, for all bytes inside the text; the others of their words are 0. `from` < text.size(). There is at
// least one triple. Bytes past the text's end equal no byte above 0x20. As many words are written as the text has
// blocks of 64 bytes there, kScanBytes at most. False if no bit of `high` is set.
bool find_triples(std::string_view text, std::size_t from, std::span<const ByteTriple> triples, ScanBits& found,
                  ScanBits& high);

// The bits that are set in the first `blocks` words, by number, in order. Valid as long as `places`.
using ScanPlaces = std::array<std::uint16_t, kScanBytes>;
std::span<const std::uint16_t> places_of(const ScanBits& bits, std::size_t blocks, ScanPlaces& places);

// With which letters a token begins, if its term is a given one.
struct TokenPrefix {
  // Every token of the term begins with this, in lower case: a beginning of the term, not empty.
  std::string_view bytes;
  // Whether an ASCII letter may follow in the token. If not, only an "s", an "es", or what is no letter.
  bool any_letter_may_follow = true;
};

// nullopt: no rule is known for such an analyzer, so any token may have the term. `term` is a result of the analyzer
// and not empty; the result is a part of it.
//
// With standard2 and standard3 it holds for spans that are ASCII or has_plain_form() (normal_form.h), from where an
// elided article ends, and for their plain spelling: without an apostrophe after O, commas between digits, dots between
// initials, the v of a version.
//
// Porter and English: the rules follow from those of the stemmers (Porter 1980; Snowball's English stemmer). They
// remove endings, which leaves a beginning of the word, and replace:
//   y by i (happy: happi), ies by y in one word (skies: sky), y by ie in three (dying: die)
//   ..., enci, anci, izer, ization, ational, ation, ator, iviti by an ending with another last letter, e (relational:
//   relate), and the same with removed letters (hoping: hope)
//   biliti by ble, of which the e may be removed again (sensibility: sensibl)
// They never change a word's first letter. Where the term has no vowel, only s and es were removed: every other rule
// wants a vowel in what it leaves.
// Other languages: the first letter, where the stemmer only changes what follows it.
std::optional<TokenPrefix> token_prefix(const AnalyzerConfig& config, std::string_view term);

// How the tokens of some terms begin: as triples of bytes for find_triples(), and to verify what that finds. Immutable
// after the last add(). Borrows the terms.
class WantedWords {
 public:
  // More triples would cost as much as cutting the whole text into tokens.
  static constexpr std::size_t kMaxTriples = 24;

  // terms: how many will be added, at most.
  explicit WantedWords(std::size_t terms);
  void add(TokenPrefix prefix);
  // Every token of the terms has one of the triples at its beginning, or may_go_on_with() is true of it.
  const std::vector<ByteTriple>& triples() const { return triples_; }
  // False if no token that begins at text[at] as it stands has one of the terms. What follows the token may be there or
  // not.
  bool may_begin_at(std::string_view text, std::size_t at) const {
    std::uint64_t here = 0;
    if (text.size() - at < sizeof(here)) return may_begin_near_end(text, at);
    std::memcpy(&here, text.data() + at, sizeof(here));
    here |= kBit0x20;
    for (const Word& word : words_)  // most candidates are none
      if ((here & word.mask) == word.value && (word.enough || begins_with(text, at, word.prefix))) return true;
    return false;
  }
  // Whether a span may have one of the terms though it does not begin with the term's prefix as it stands, since c,
  // which is at text[at], is the first character in it that may have another form. text[begin, at): the ASCII before it
  // that may be in the same span. False only if no span has.
  bool may_go_on_with(std::string_view text, std::size_t begin, std::size_t at, char32_t c) const;

 private:
  static constexpr std::uint64_t kBit0x20 = 0x2020202020202020;
  struct Word {
    std::uint64_t value = 0, mask = 0;  // its first eight bytes with bit 0x20, as far as they are ASCII; the rest is 0
    bool enough = false;                // whether these are all that is known of it
    TokenPrefix prefix;
  };
  static bool begins_with(std::string_view text, std::size_t at, const TokenPrefix& prefix);
  bool may_begin_near_end(std::string_view text, std::size_t at) const;

  std::vector<Word> words_;
  std::vector<ByteTriple> triples_;
  bool ascii_only_ = true;  // the prefixes are ASCII
};

}  // namespace frond::text
