#pragma once
// Trie collections (Wei and JaJa 2011, III.B, table I): the first letters of a term choose its collection. Each
// collection belongs to one inverter for the whole build, so dictionaries and postings need no locks; and the tokens of
// one collection, grouped together, use a small table that stays in the cache.
//
//   0           all other terms                 "3d", "česky"
//   1 .. 10     digits only, by the first one   "0195", "954"         prefix: the digit
//   11 .. 36    a to z, with at most 3 letters  "a", "act", "añonuevo"  prefix: the letter
//               or another among the first 3
//   37 .. 17612 longer, starting aaa to zzz     "aaat"                prefix: three letters
#include <array>
#include <cstdint>
#include <string_view>

namespace frond::indexer::dictionary {

using TrieCollection = std::uint16_t;
inline constexpr TrieCollection kFirstNumber = 1, kFirstLetter = 11, kFirstTriple = 37;
inline constexpr std::size_t kTrieCollections = kFirstTriple + 26 * 26 * 26;

// A term's collection, and how many of its first bytes the collection implies.
struct TriePlace {
  TrieCollection collection = 0;
  std::uint8_t prefix_bytes = 0;
};
TriePlace trie_place(std::string_view term);

// The bytes that every term of a collection starts with.
class TriePrefix {
 public:
  explicit TriePrefix(TrieCollection collection);  // REQUIRES: it is below kTrieCollections
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 3> bytes_{};
  std::uint8_t size_ = 0;
};

}  // namespace frond::indexer::dictionary
