#pragma once
// Terms with small numbers: what a parser knows of the terms that it has met lately.
#include <cstdint>
#include <string_view>
#include <vector>

#include "indexer/dictionary/trie.h"
#include "indexer/parse/large_pages.h"

namespace frond::indexer::parse {

using TermId = std::uint32_t;
inline constexpr TermId kNoTerm = 0xffffffff;

// The binary logarithm of how many terms and tokens the tables of a parser hold. A parser takes 101 bytes for each in
// these, and in a TokenGrouper. Of 60 MB of Wikipedia 98.6 % of the tokens are found in the largest table, in one of
// 2^16 94.6 %; each of the others is stemmed.
inline constexpr int kMinTableBits = 8, kMaxTableBits = 18;
inline constexpr std::size_t table_bytes(int bits) { return std::size_t{101} << bits; }

// One thread.
class TermTable {
 public:
  explicit TermTable(int bits = kMaxTableBits)
      : max_terms_(std::size_t{1} << bits), max_suffix_bytes_(16 * max_terms_), slots_(2 * max_terms_) {
    terms_.reserve(max_terms_);
    suffixes_.reserve(max_suffix_bytes_);
  }
  std::size_t size() const { return terms_.size(); }
  std::size_t max_terms() const { return max_terms_; }
  // Whether there is no room for another term. A last term may be longer than the room for suffixes.
  bool full() const { return terms_.size() == max_terms_ || suffixes_.size() >= max_suffix_bytes_; }
  // Ids are 0, 1, 2 ... REQUIRES: !full(); the term has at most 65,535 bytes.
  TermId find_or_add(std::string_view term) { return find_or_add(term, seek(term)); }
  // The same in steps, with other terms in between, so that memory is on its way when it is read: seek() tells where
  // the table would have the term, and find_or_add() may be called for other terms before it is for this one.
  struct Lookup {
    std::uint32_t hash = 0;
    dictionary::TriePlace place;
  };
  Lookup seek(std::string_view term) const;
  void fetch_term(const Lookup& lookup) const;
  void fetch_suffix(const Lookup& lookup) const;
  TermId find_or_add(std::string_view term, const Lookup& lookup);
  // Begins to load what collection() and suffix() need.
  void fetch(TermId term) const { __builtin_prefetch(&terms_[term]); }
  dictionary::TrieCollection collection(TermId term) const { return terms_[term].collection; }
  // The term without its collection's prefix. Valid until the next term is added.
  std::string_view suffix(TermId term) const { return suffix_of(terms_[term]); }
  // Forgets the terms whose numbers[id] is kNoTerm. The others get new ids in the same order, which numbers[id] tells.
  // REQUIRES: a number for each term.
  void keep(std::vector<TermId>& numbers);

 private:
  struct Term {
    std::uint32_t suffix = 0;  // where it begins in suffixes_
    std::uint16_t suffix_bytes = 0;
    dictionary::TrieCollection collection = 0;
  };
  struct Slot {
    std::uint32_t hash;
    TermId term_plus_1;  // 0: free
  };
  static std::uint32_t hash_of(dictionary::TrieCollection collection, std::string_view suffix);
  std::string_view suffix_of(const Term& term) const { return {suffixes_.data() + term.suffix, term.suffix_bytes}; }
  std::size_t max_terms_, max_suffix_bytes_;
  ZeroedArray<Slot> slots_;  // a power of two
  std::vector<Term> terms_;
  std::vector<char> suffixes_;
};

}  // namespace frond::indexer::parse
