#pragma once
// Tokens as they stand in texts, with the ids of their terms: a token that is found here is neither put into lower case
// nor stemmed again. "Fox", "fox" and "foxes" are three tokens of one term.
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "common/text/token_span.h"
#include "indexer/parse/term_table.h"
#include "indexer/parse/zeroed_array.h"

namespace frond::indexer::parse {

// A token that is looked for.
struct SoughtToken {
  // In the text, which has less than 4 GiB. Not a TokenSpan: g++ copies one by a load of 16 bytes, which waits for the
  // two stores of 8 bytes that just made it, in every token.
  std::uint32_t begin, bytes;
  std::array<std::uint64_t, 3> key;                      // its bytes, filled up with NULs, which tokens do not have
  std::uint32_t bucket;                                  // where the table would have it
  std::uint32_t tag;                                     // of its hash, never 0
  static constexpr std::uint32_t kTooLong = 0xffffffff;  // a bucket: no table has it
};

// One thread. Takes up to 8 MiB, more than a core's caches, so looking up is two steps with other tokens in between. A
// token is in one of the two places of its bucket, which is one line of a cache. Where both are taken, a new token
// replaces one that was not found lately.
//
// A look-up has one branch that depends on the token, whether it is there: which of the two places it is in is not
// predictable, so it is chosen without a branch, by the tags.
class TokenTable {
 public:
  static constexpr std::size_t kMaxTokenBytes = sizeof(SoughtToken::key);  // longer tokens are never found
  static constexpr TermId kStopWord = kNoTerm;

  explicit TokenTable(int bits = kMaxTableBits) : shift_(64 - (bits - 1)), buckets_(std::size_t{1} << (bits - 1)) {}

  // First step: tells what find() needs, and begins to load what it will look at.
  void seek(std::string_view text, text::TokenSpan token, SoughtToken& sought) const {
    const std::size_t bytes = token.end - token.begin;
    sought.begin = static_cast<std::uint32_t>(token.begin);
    sought.bytes = static_cast<std::uint32_t>(bytes);
    if (bytes > kMaxTokenBytes) [[unlikely]] {
      sought.bucket = SoughtToken::kTooLong;
      return;
    }
    std::array<std::uint64_t, 3> key;
    if (text.size() - token.begin >= sizeof key) [[likely]] {
      std::memcpy(key.data(), text.data() + token.begin, sizeof key);
      for (std::size_t i = 0; i < key.size(); ++i) key[i] &= kMasks[bytes][i];
    } else {
      key = {};
      std::memcpy(key.data(), text.data() + token.begin, bytes);
    }
    for (std::size_t i = 0; i < key.size(); ++i) sought.key[i] = key[i];
    std::uint64_t hash = key[0] * 0x9e3779b97f4a7c15 + (key[1] ^ key[2] * 0xbf58476d1ce4e5b9) * 0x94d049bb133111eb;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15;
    sought.bucket = static_cast<std::uint32_t>(hash >> shift_);
    sought.tag = static_cast<std::uint32_t>(hash) | 1;
    __builtin_prefetch(&buckets_[sought.bucket]);
  }
  SoughtToken seek(std::string_view text, text::TokenSpan token) const {
    SoughtToken sought;
    seek(text, token, sought);
    return sought;
  }
  // The token's term, or kStopWord. No value: the token is not there.
  std::optional<TermId> find(const SoughtToken& sought) {
    if (sought.bucket == SoughtToken::kTooLong) [[unlikely]]
      return std::nullopt;
    Bucket& bucket = buckets_[sought.bucket];
    std::size_t i = kPlaces - 1;
    for (std::size_t other = kPlaces - 1; other-- > 0;) i = bucket.tags[other] == sought.tag ? other : i;
    std::uint64_t different = bucket.tags[i] ^ sought.tag;
    for (std::size_t k = 0; k < sought.key.size(); ++k) different |= bucket.keys[i][k] ^ sought.key[k];
    if (different != 0) return std::nullopt;
    const std::uint32_t entry = bucket.entries[i];
    if ((entry & kFound) == 0) bucket.entries[i] = entry | kFound;
    return term_of(entry);
  }
  // Stores a token which is not there, unless it is too long.
  void add(const SoughtToken& sought, TermId term) {
    if (sought.bucket == SoughtToken::kTooLong) return;
    Bucket& bucket = buckets_[sought.bucket];
    const std::size_t i = free_place(bucket);
    bucket.tags[i] = sought.tag;
    bucket.entries[i] = term << 1;
    bucket.keys[i] = sought.key;
  }
  // numbers[old id]: a term's new id; kNoTerm: the tokens of the term are forgotten.
  void renumber(std::span<const TermId> numbers) {
    for (Bucket& bucket : buckets_)
      for (std::size_t i = 0; i < kPlaces; ++i) {
        const std::uint32_t entry = bucket.entries[i];
        if (bucket.tags[i] == 0 || term_of(entry) == kStopWord) continue;
        const TermId term = numbers[term_of(entry)];
        bucket.entries[i] = term << 1 | (entry & kFound);
        if (term == kNoTerm) bucket.tags[i] = 0;
      }
  }

 private:
  static constexpr std::size_t kPlaces = 2;
  static constexpr std::uint32_t kFound = 1;  // in an entry: since a new token last passed by
  struct alignas(64) Bucket {
    std::array<std::uint32_t, kPlaces> tags;     // 0: free
    std::array<std::uint32_t, kPlaces> entries;  // 31 bits of the term, and kFound
    std::array<std::array<std::uint64_t, 3>, kPlaces> keys;
  };
  static_assert(sizeof(Bucket) == 64);

  // Of stop words all 31 bits are ones.
  static TermId term_of(std::uint32_t entry) {
    return static_cast<TermId>(static_cast<std::int32_t>(entry | kFound) == -1 ? kStopWord : entry >> 1);
  }
  static std::size_t free_place(Bucket& bucket) {
    for (std::size_t i = 0; i < kPlaces; ++i)
      if (bucket.tags[i] == 0) return i;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if ((bucket.entries[i] & kFound) == 0) return i;
      bucket.entries[i] &= ~kFound;
    }
    return 0;
  }
  static constexpr auto kMasks = [] {
    std::array<std::array<std::uint64_t, 3>, kMaxTokenBytes + 1> masks{};
    for (std::size_t bytes = 0; bytes < masks.size(); ++bytes)
      for (std::size_t i = 0; i < bytes; ++i) masks[bytes][i / 8] |= std::uint64_t{0xff} << (i % 8 * 8);
    return masks;
  }();

  int shift_;
  ZeroedArray<Bucket> buckets_;
};

}  // namespace frond::indexer::parse
