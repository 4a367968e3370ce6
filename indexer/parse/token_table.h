#pragma once
// Tokens as they stand in texts, with the ids of their terms: a token that is found here is neither put into lower case
// nor stemmed again. "Fox", "fox" and "foxes" are three tokens of one term.
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/token_span.h"
#include "indexer/parse/term_table.h"

namespace frond::indexer::parse {

// A token that is looked for.
struct SoughtToken {
  text::TokenSpan where;                                 // in the text
  std::array<std::uint64_t, 3> key;                      // its bytes, filled up with NULs, which tokens do not have
  std::uint32_t place = kTooLong;                        // where the table would have it
  static constexpr std::uint32_t kTooLong = 0xffffffff;  // no table has it
};

// One thread. Takes up to 2 MiB, more than a core's caches, so looking up is two steps with other tokens in between. A
// token is in one of four neighbouring entries. Where these are taken, a new token replaces one that was not found
// lately.
class TokenTable {
 public:
  static constexpr std::size_t kMaxTokenBytes = sizeof(SoughtToken::key);  // longer tokens are never found
  static constexpr TermId kStopWord = kNoTerm;

  explicit TokenTable(int bits = kMaxTableBits)
      : shift_(64 - bits), entries_((std::size_t{1} << bits) + kNeighbours - 1) {}

  // First step: tells what find() needs, and begins to load what it will look at.
  SoughtToken seek(std::string_view text, text::TokenSpan token) const {
    SoughtToken sought{token, {}};
    const std::size_t bytes = token.end - token.begin;
    if (bytes > kMaxTokenBytes) return sought;
    if (text.size() - token.begin >= sizeof sought.key) {
      std::memcpy(sought.key.data(), text.data() + token.begin, sizeof sought.key);
      for (std::size_t i = 0; i < sought.key.size(); ++i) sought.key[i] &= kMasks[bytes][i];
    } else {
      std::memcpy(sought.key.data(), text.data() + token.begin, bytes);
    }
    std::uint64_t hash =
        sought.key[0] * 0x9e3779b97f4a7c15 + (sought.key[1] ^ sought.key[2] * 0xbf58476d1ce4e5b9) * 0x94d049bb133111eb;
    hash ^= hash >> 32;
    sought.place = static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15 >> shift_);
    __builtin_prefetch(&entries_[sought.place]);
    return sought;
  }
  // The token's term, or kStopWord. No value: the token is not there.
  std::optional<TermId> find(const SoughtToken& sought) {
    if (sought.place == SoughtToken::kTooLong) return std::nullopt;
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      Entry& entry = entries_[sought.place + i];
      std::uint64_t different = 0;  // the library's comparison would be a call of memcmp()
      for (std::size_t k = 0; k < entry.key.size(); ++k) different |= entry.key[k] ^ sought.key[k];
      if (different != 0) continue;
      if (entry.found == 0) entry.found = 1;
      return entry.term;
    }
    return std::nullopt;
  }
  // Stores a token which is not there, unless it is too long.
  void add(const SoughtToken& sought, TermId term) {
    if (sought.place != SoughtToken::kTooLong) free_entry(sought.place) = {sought.key, term, 0};
  }
  // numbers[old id]: a term's new id; kNoTerm: the tokens of the term are forgotten.
  void renumber(std::span<const TermId> numbers) {
    for (Entry& entry : entries_) {
      if (is_free(entry) || entry.term == kStopWord) continue;
      entry.term = numbers[entry.term];
      if (entry.term == kNoTerm) entry = {};
    }
  }

 private:
  static constexpr std::size_t kNeighbours = 4;
  struct Entry {
    std::array<std::uint64_t, 3> key{};  // zeros: free
    TermId term = 0;
    std::uint32_t found = 0;  // since a new token last passed by
  };
  static bool is_free(const Entry& entry) { return entry.key[0] == 0; }
  Entry& free_entry(std::size_t place) {
    const std::span<Entry> neighbours = std::span(entries_).subspan(place, kNeighbours);
    for (Entry& entry : neighbours)
      if (is_free(entry)) return entry;
    for (Entry& entry : neighbours)
      if (std::exchange(entry.found, 0) == 0) return entry;
    return neighbours.front();
  }
  static constexpr auto kMasks = [] {
    std::array<std::array<std::uint64_t, 3>, kMaxTokenBytes + 1> masks{};
    for (std::size_t bytes = 0; bytes < masks.size(); ++bytes)
      for (std::size_t i = 0; i < bytes; ++i) masks[bytes][i / 8] |= std::uint64_t{0xff} << (i % 8 * 8);
    return masks;
  }();

  int shift_;
  std::vector<Entry> entries_;
};

}  // namespace frond::indexer::parse
