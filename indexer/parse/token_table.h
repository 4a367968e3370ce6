#pragma once
// Tokens as they stand in texts, with the ids of their terms: a token that is found here is neither put into lower case
// nor stemmed again. "Fox", "fox" and "foxes" are three tokens of one term.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "common/text/token_cutter.h"
#include "indexer/parse/large_pages.h"
#include "indexer/parse/term_table.h"

namespace frond::indexer::parse {

// A token that is looked for.
struct TokenLookup {
  // In the text, which has less than 4 GiB. Not a TokenSpan: g++ copies one by a load of 16 bytes, which waits for the
  // two stores of 8 bytes that just made it, in every token.
  std::uint32_t begin, bytes;
  std::array<std::uint64_t, 2> key;  // its bytes, filled up with NULs, which tokens do not have; zeros: it is too long
  std::uint32_t bucket;              // where the table would have it
};

// An array with an element of 16 bytes for each term up to a power of two.
struct LinesByTerm {
  const std::byte* begin;
  std::size_t mask;  // elements - 1
  const std::byte* of(TermId term) const { return begin + (term & mask) * 16; }
};

// Of a TokenTable: one line of a cache.
struct alignas(64) TokenBucket {
  static constexpr std::size_t kPlaces = 3;
  std::array<std::array<std::uint64_t, 2>, kPlaces> keys;  // zeros: free
  std::array<std::uint32_t, kPlaces + 1> entries;          // 31 bits of the term, and whether it was found

  // Which place has the token; kPlaces: none.
  std::size_t place_of(const TokenLookup& lookup) const {
    std::size_t found = kPlaces;
    for (std::size_t place = kPlaces; place-- > 0;) {
      const std::uint64_t different = (keys[place][0] ^ lookup.key[0]) | (keys[place][1] ^ lookup.key[1]);
      found = different == 0 ? place : found;
    }
    return found;
  }
};
static_assert(sizeof(TokenBucket) == 64);

// One thread. Takes up to 8 MiB, more than a core's caches, so looking up is two steps with other tokens in between. A
// token is in one of the three places of its bucket, which is one line of a cache. Where all are taken, a new token
// replaces one that was not found lately.
//
// A look-up has no branch that depends on the token: neither which of the places it is in is predictable, nor whether
// it is a stop word. What is in no place has the term of a fourth, which is always kUnknown.
class TokenTable {
 public:
  // Longer tokens are never found: 0.03 % of English ones, which LongTokens may have.
  static constexpr std::size_t kMaxTokenBytes = sizeof(TokenLookup::key);
  // Both are larger than all terms.
  static constexpr TermId kStopWord = kNoTerm, kUnknown = kNoTerm - 1;

  explicit TokenTable(int bits = kMaxTableBits) : shift_(64 - (bits - 1)), buckets_(std::size_t{1} << (bits - 1)) {}

  // First step, of a token whose place is known: tells what find() needs, and begins to load what it will look at.
  void seek(std::string_view text, TokenLookup& lookup) const {
    const std::size_t begin = lookup.begin, bytes = lookup.bytes;
    if (bytes > kMaxTokenBytes) [[unlikely]] {
      lookup.key = {};
      lookup.bucket = 0;
      return;
    }
    std::uint64_t low = 0, high = 0;
    if (text.size() - begin >= kMaxTokenBytes) [[likely]] {
      std::memcpy(&low, text.data() + begin, sizeof low);
      std::memcpy(&high, text.data() + begin + sizeof low, sizeof high);
      low &= kMasks[bytes][0];
      high &= kMasks[bytes][1];
    } else {
      std::array<std::uint64_t, 2> key{};
      std::memcpy(key.data(), text.data() + begin, bytes);
      low = key[0];
      high = key[1];
    }
    lookup.key[0] = low;
    lookup.key[1] = high;
    lookup.bucket = bucket_of(low, high, shift_);
    __builtin_prefetch(&buckets_[lookup.bucket]);
  }
  TokenLookup seek(std::string_view text, text::TokenSpan token) const {
    TokenLookup lookup;
    lookup.begin = static_cast<std::uint32_t>(token.begin);
    lookup.bytes = static_cast<std::uint32_t>(token.end - token.begin);
    seek(text, lookup);
    return lookup;
  }
  // The same for many tokens, from begins[i] to ends[i].
  void seek(std::string_view text, const std::uint32_t* begins, const std::uint32_t* ends,
            std::span<TokenLookup> tokens) const;
  // The terms of tokens, kStopWord, or kUnknown. Of each it begins to load states[term & mask], whatever the term is.
  void find(std::span<const TokenLookup> tokens, TermId* terms, LinesByTerm lines);
  // The token's term, kStopWord, or kUnknown.
  TermId find(const TokenLookup& lookup) {
    Bucket& bucket = buckets_[lookup.bucket];
    return found(bucket.entries[bucket.place_of(lookup)]);
  }
  static std::uint32_t bucket_of(std::uint64_t low, std::uint64_t high, int shift) {
    std::uint64_t hash = low * 0x9e3779b97f4a7c15 + high * 0x94d049bb133111eb;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15;
    return static_cast<std::uint32_t>(hash >> shift);
  }
  // Notes that an entry was found, and gives its term.
  static TermId found(std::uint32_t& entry) {
    if ((entry & kFound) == 0) entry |= kFound;
    return term_of(entry);
  }
  // Stores a token which is not there, unless it is too long.
  void add(const TokenLookup& lookup, TermId term) {
    if (lookup.key[0] == 0) return;
    Bucket& bucket = buckets_[lookup.bucket];
    const std::size_t i = free_place(bucket);
    bucket.keys[i] = lookup.key;
    bucket.entries[i] = entry_of(term);
  }
  // numbers[old id]: a term's new id; kNoTerm: the tokens of the term are forgotten.
  void renumber(std::span<const TermId> numbers) {
    for (Bucket& bucket : buckets_)
      for (std::size_t i = 0; i < kPlaces; ++i) {
        const TermId old = term_of(bucket.entries[i]);
        if (bucket.keys[i][0] == 0 || old >= kUnknown) continue;
        const TermId term = numbers[old];
        if (term == kNoTerm) bucket.keys[i] = {};
        bucket.entries[i] = term == kNoTerm ? 0 : entry_of(term) | (bucket.entries[i] & kFound);
      }
  }

 private:
  using Bucket = TokenBucket;
  static constexpr std::size_t kPlaces = Bucket::kPlaces;
  static constexpr std::uint32_t kFound = 1;  // in an entry: since a new token last passed by
  // So that zeros, which new memory has, are of kUnknown.
  static std::uint32_t entry_of(TermId term) { return (term - kUnknown) << 1; }
  static TermId term_of(std::uint32_t entry) { return (entry >> 1) + kUnknown; }
  static std::size_t free_place(Bucket& bucket) {
    for (std::size_t i = 0; i < kPlaces; ++i)
      if (bucket.keys[i][0] == 0) return i;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if ((bucket.entries[i] & kFound) == 0) return i;
      bucket.entries[i] &= ~kFound;
    }
    return 0;
  }
  static constexpr auto kMasks = [] {
    std::array<std::array<std::uint64_t, 2>, kMaxTokenBytes + 1> masks{};
    for (std::size_t bytes = 0; bytes < masks.size(); ++bytes)
      for (std::size_t i = 0; i < bytes; ++i) masks[bytes][i / 8] |= std::uint64_t{0xff} << (i % 8 * 8);
    return masks;
  }();

  int shift_;
  ZeroedArray<Bucket> buckets_;
};

// Which of some terms that TokenTable::find() gave are terms.
struct KnownTokens {
  std::size_t found = 0, unknown = 0;
};
inline constexpr std::size_t kTokensTold = 16;
// Puts the terms into `found` without kStopWord and kUnknown, and into `unknown` the places of those that are kUnknown,
// both in order. All three have room for kTokensTold more.
KnownTokens tell_apart(std::span<const TermId> terms, TermId* found, std::uint32_t* unknown);

// Tokens that are too long for a TokenTable, with the ids of their terms: few of a text in English, many of one in
// Greek or Russian, whose letters take two bytes.

// One thread. Takes up to 256 KiB. A token has one place, where a new token replaces one that was not found lately.
class LongTokens {
 public:
  static constexpr std::size_t kMaxTokenBytes = 58;  // longer tokens are never found
  LongTokens() : places_(kPlaces) {}
  // The token's term, TokenTable::kStopWord, or TokenTable::kUnknown.
  TermId find(std::string_view token);
  // Stores a token which is not there, unless it is too long or another one's place is kept.
  void add(std::string_view token, TermId term);
  // As TokenTable::renumber().
  void renumber(std::span<const TermId> numbers);

 private:
  static constexpr std::size_t kPlaces = 4096;
  struct alignas(64) Place {
    TermId term;
    std::uint8_t bytes;  // 0: free
    bool found;          // since a new token last passed by
    std::array<char, kMaxTokenBytes> token;
  };
  static_assert(sizeof(Place) == 64);
  Place& place_of(std::string_view token);
  ZeroedArray<Place> places_;
};

}  // namespace frond::indexer::parse
