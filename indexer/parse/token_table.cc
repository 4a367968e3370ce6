#include "indexer/parse/token_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "indexer/parse/token_table.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::indexer::parse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As TokenBucket::place_of().
HWY_INLINE std::size_t place_of(const TokenBucket& bucket, const TokenLookup& lookup) {
#if HWY_TARGET <= HWY_AVX3
  const hn::FixedTag<std::uint64_t, 8> words;
  const auto line = hn::Load(words, reinterpret_cast<const std::uint64_t*>(&bucket));
  const auto same = hn::Eq(line, hn::LoadDup128(words, lookup.key.data()));
  std::uint8_t stored[8] = {};
  hn::StoreMaskBits(words, same, stored);
  const unsigned bits = stored[0];
  const unsigned keys = bits & bits >> 1 & 0b010101;
  return static_cast<std::size_t>(std::countr_zero(keys | 1u << 2 * TokenBucket::kPlaces)) / 2;
#else
  return bucket.place_of(lookup);
#endif
}

void seek_tokens(const TokenTable& table, std::string_view text, const std::uint32_t* begins, const std::uint32_t* ends,
                 TokenLookup* tokens, std::size_t count, const TokenBucket* buckets, int shift) {
  for (std::size_t i = 0; i < count; ++i) {
    TokenLookup& token = tokens[i];
    token.begin = begins[i];
    token.bytes = ends[i] - begins[i];
#if HWY_TARGET <= HWY_AVX3
    static_cast<void>(table);
    if (token.bytes > TokenTable::kMaxTokenBytes) [[unlikely]] {
      token.key = {};
      token.bucket = 0;
      continue;
    }
    const hn::Full128<std::uint8_t> bytes;  // those that are not loaded need not be there
    const hn::Repartition<std::uint64_t, decltype(bytes)> words;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(text.data()) + token.begin;
    const auto key = hn::BitCast(words, hn::MaskedLoad(hn::FirstN(bytes, token.bytes), bytes, from));
    hn::StoreU(key, words, token.key.data());
    token.bucket = TokenTable::bucket_of(hn::GetLane(key), hn::ExtractLane(key, 1), shift);
    __builtin_prefetch(&buckets[token.bucket]);
#else
    static_cast<void>(buckets), static_cast<void>(shift);
    table.seek(text, token);
#endif
  }
}

void find_tokens(TokenBucket* buckets, const TokenLookup* tokens, std::size_t count, TermId* terms, LinesByTerm lines) {
  for (std::size_t i = 0; i < count; ++i) {
    TokenBucket& bucket = buckets[tokens[i].bucket];
    std::uint32_t& entry = bucket.entries[place_of(bucket, tokens[i])];
    terms[i] = TokenTable::found(entry);
    __builtin_prefetch(lines.of(terms[i]));
  }
}

KnownTokens tell_terms_apart(const TermId* terms, std::size_t count, TermId* found, std::uint32_t* unknown) {
  const hn::CappedTag<std::uint32_t, kTokensTold> numbers;
  const auto none = hn::Set(numbers, TokenTable::kUnknown);
  auto place = hn::Iota(numbers, 0);
  KnownTokens known;
  for (std::size_t i = 0; i < count; i += hn::Lanes(numbers)) {
    const auto some = hn::LoadU(numbers, terms + i);
    const auto here = hn::FirstN(numbers, count - i);
    known.found += hn::CompressStore(some, hn::And(here, hn::Lt(some, none)), numbers, found + known.found);
    known.unknown += hn::CompressStore(place, hn::And(here, hn::Eq(some, none)), numbers, unknown + known.unknown);
    place = hn::Add(place, hn::Set(numbers, static_cast<std::uint32_t>(hn::Lanes(numbers))));
  }
  return known;
}

}  // namespace frond::indexer::parse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::indexer::parse {

HWY_EXPORT(seek_tokens);
HWY_EXPORT(find_tokens);
HWY_EXPORT(tell_terms_apart);

void TokenTable::seek(std::string_view text, const std::uint32_t* begins, const std::uint32_t* ends,
                      std::span<TokenLookup> tokens) const {
  HWY_DYNAMIC_DISPATCH(seek_tokens)
  (*this, text, begins, ends, tokens.data(), tokens.size(), buckets_.begin(), shift_);
}

void TokenTable::find(std::span<const TokenLookup> tokens, TermId* terms, LinesByTerm lines) {
  HWY_DYNAMIC_DISPATCH(find_tokens)(buckets_.begin(), tokens.data(), tokens.size(), terms, lines);
}

KnownTokens tell_apart(std::span<const TermId> terms, TermId* found, std::uint32_t* unknown) {
  return HWY_DYNAMIC_DISPATCH(tell_terms_apart)(terms.data(), terms.size(), found, unknown);
}

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
#endif
