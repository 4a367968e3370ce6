#pragma once
// How the tokens of some terms begin: as triples of bytes for find_triples(), and to verify what that finds.
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/text/prefix_scan.h"
#include "common/text/token_prefix.h"

namespace frond::text {

// Immutable after the last add(). Borrows the terms.
class WantedWords {
 public:
  // More triples would cost as much as cutting the whole text into tokens.
  static constexpr std::size_t kMaxTriples = 24;

  // terms: how many will be added, at most.
  explicit WantedWords(std::size_t terms);
  void add(TokenPrefix prefix);
  // Every token of the terms has one of the triples at its beginning, or contains a rare letter.
  const std::vector<ByteTriple>& triples() const { return triples_; }
  // Calls sink(p), in order, for each rare letter at text[p], p in [from, end): a capital that is not ASCII, of a small
  // letter that is and that is looked for. There are two, of i and k.
  template <class Sink>
  void for_each_rare_letter(std::string_view text, std::size_t from, std::size_t end, Sink&& sink) const {
    if (!has_i_ && !has_k_) return;
    while ((from = next_rare_letter(text, from, end)) < end) sink(from++);
  }
  // False if no token that begins at text[at] and contains no rare letter has one of the terms. What follows the token
  // may be there or not.
  bool may_begin_at(std::string_view text, std::size_t at) const {
    std::uint64_t here = 0;
    if (text.size() - at < sizeof(here)) return may_begin_near_end(text, at);
    std::memcpy(&here, text.data() + at, sizeof(here));
    here |= kBit0x20;
    for (const Word& word : words_)  // most candidates are none
      if ((here & word.mask) == word.value && (word.enough || begins_with(text, at, word.prefix))) return true;
    return false;
  }
  static bool is_rare_letter(std::string_view text, std::size_t at);
  // Not of standard, where a character may have another normal form: whether a span may have one of the terms though it
  // does not begin with the term's prefix as it stands, since c, which is at text[at], is the first such character in
  // it. text[begin, at): the ASCII before it that may be in the same span. False only if no span has.
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
  std::size_t next_rare_letter(std::string_view text, std::size_t from, std::size_t end) const;

  std::vector<Word> words_;
  std::vector<ByteTriple> triples_;
  bool ascii_only_ = true;              // the prefixes are ASCII
  bool has_i_ = false, has_k_ = false;  // among the letters that triples and values are of
};

}  // namespace frond::text
