#include "indexer/parse/long_tokens.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace frond::indexer::parse {

LongTokens::Place& LongTokens::place_of(std::string_view token) {
  return places_[XXH3_64bits(token.data(), token.size()) % kPlaces];
}

TermId LongTokens::find(std::string_view token) {
  if (token.empty() || token.size() > kMaxTokenBytes) return TokenTable::kUnknown;
  Place& place = place_of(token);
  if (std::string_view(place.token.data(), place.bytes) != token) return TokenTable::kUnknown;
  place.found = true;
  return place.term;
}

void LongTokens::add(std::string_view token, TermId term) {
  if (token.empty() || token.size() > kMaxTokenBytes) return;
  Place& place = place_of(token);
  if (place.bytes != 0 && std::exchange(place.found, false)) return;
  place.term = term;
  place.bytes = static_cast<std::uint8_t>(token.size());
  std::copy(token.begin(), token.end(), place.token.begin());
}

void LongTokens::renumber(std::span<const TermId> numbers) {
  for (Place& place : places_) {
    if (place.bytes == 0 || place.term == TokenTable::kStopWord) continue;
    place.term = numbers[place.term];
    if (place.term == kNoTerm) place.bytes = 0;
  }
}

}  // namespace frond::indexer::parse
