#pragma once
// Tokens that are too long for a TokenTable, with the ids of their terms: few of a text in English, many of one in
// Greek or Russian, whose letters take two bytes.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "indexer/parse/token_table.h"
#include "indexer/parse/zeroed_array.h"

namespace frond::indexer::parse {

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
