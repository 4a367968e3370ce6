#include "indexer/parse/term_finder.h"

#include <optional>
#include <span>

#include "common/text/token_cutter.h"

namespace frond::indexer::parse {
namespace {

// 512 KiB: a word is only looked up here if it is not among the tokens. Porter's stemmer takes less time than the cache
// would, most of whose entries are not in the processor's caches.
int cache_bits(const text::AnalyzerConfig& analyzer) { return analyzer.stemmer == text::Stemmer::kPorter ? 0 : 13; }

}  // namespace

TermFinder::TermFinder(const text::AnalyzerConfig& analyzer, int table_bits, TokenGrouper& grouper)
    : analyzer_(analyzer, cache_bits(analyzer)), tokens_(table_bits), grouper_(grouper) {}

std::uint32_t TermFinder::add(std::string_view text) {
  std::uint32_t terms = 0;
  const auto take = [&](text::TokenSpan token) {
    tokens_.seek(text, token, sought_[count_]);
    if (++count_ == kTokensAhead) terms += add_tokens(text);
  };
  if (analyzer_.config().kind == text::AnalyzerKind::kStandard)
    text::for_each_token(text, take);
  else
    text::for_each_span(text, [&](text::TokenSpan span, bool) { take(span); });
  return terms + add_tokens(text);
}

// Of the tokens from `begin` on. Begins to load what the grouper needs of their terms.
void TermFinder::find_tokens(std::size_t begin) {
  for (std::size_t i = begin; i < count_; ++i) {
    found_[i] = tokens_.find(sought_[i]).value_or(kUnknown);
    grouper_.prefetch(found_[i]);
  }
}

// Adds the tokens at hand, and returns how many of them have terms.
std::uint32_t TermFinder::add_tokens(std::string_view text) {
  find_tokens(0);
  std::uint32_t terms = 0;
  std::size_t at = 0;  // those before it are added
  for (std::size_t i = 0; i < count_; ++i) {
    if (found_[i] != kUnknown) continue;
    terms += grouper_.add(std::span(found_).subspan(at, i - at));  // before ids may change
    at = i;
    const std::uint32_t epoch = grouper_.epoch();
    found_[i] = learn(text, sought_[i]);
    if (grouper_.epoch() != epoch) find_tokens(i + 1);
  }
  terms += grouper_.add(std::span(found_).subspan(at, count_ - at));
  count_ = 0;
  return terms;
}

// The term of a token that was not in the table.
TermId TermFinder::learn(std::string_view text, const SoughtToken& token) {
  if (const std::optional<TermId> found = tokens_.find(token)) return *found;  // it stands in the text twice
  const std::string_view term = analyzer_.term_of(text.substr(token.where.begin, token.where.end - token.where.begin));
  const std::uint32_t epoch = grouper_.epoch();
  const TermId id = term.empty() ? TokenTable::kStopWord : grouper_.intern(term);
  if (grouper_.epoch() != epoch) tokens_.renumber(grouper_.numbers());
  tokens_.add(token, id);
  return id;
}

}  // namespace frond::indexer::parse
