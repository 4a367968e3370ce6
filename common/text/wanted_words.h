#pragma once
// How the tokens of some terms begin: as pairs of bytes for find_pairs(), and to verify what that finds.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/prefix_scan.h"
#include "common/text/token_prefix.h"

namespace frond::text {

// Immutable after the last add(). Borrows the terms.
class WantedWords {
 public:
  // More pairs would cost as much as cutting the whole text into tokens.
  static constexpr std::size_t kMaxPairs = 24;

  // terms: how many will be added, at most.
  explicit WantedWords(std::size_t terms);
  void add(TokenPrefix prefix);
  // Every token of the terms has one of the pairs at its beginning, or contains a letter at which one of rare_pairs()
  // is: a capital that is not ASCII, of a small letter that is.
  const std::vector<BytePair>& pairs() const { return pairs_; }
  const std::vector<BytePair>& rare_pairs() const { return rare_; }

  // Whether a token that begins at text[at] may have one of the terms, if it contains no rare letter. What follows the
  // token may be there or not.
  bool may_begin_at(std::string_view text, std::size_t at) const;
  // Whether there is such a rare letter.
  bool rare_letter_at(std::string_view text, std::size_t at) const;

 private:
  struct Word {
    TokenPrefix prefix;
    std::uint64_t value = 0, mask = 0;  // its first eight bytes with bit 0x20, as far as they are ASCII; the rest is 0
  };
  static bool begins_with(std::string_view text, std::size_t at, const TokenPrefix& prefix);
  void add_rare(std::string_view letter);

  std::vector<Word> words_;
  std::vector<BytePair> pairs_, rare_;
};

}  // namespace frond::text
