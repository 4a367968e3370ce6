#include "indexer/parse/term_finder.h"

#include <optional>
#include <span>
#include <utility>

#include "common/base/check.h"
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
  FROND_CHECK(text.size() <= 0xffffffff);
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

// Puts the terms of the unknown tokens from `begin` on into new_terms_, and has on its way what the table of terms will
// be asked for.
void TermFinder::find_terms(std::string_view text, std::size_t begin) {
  new_terms_.clear();
  std::size_t found = 0;
  for (std::size_t i = begin; i < count_; ++i) {
    if (found_[i] != kUnknown) continue;
    const std::string_view term = analyzer_.term_of(text.substr(sought_[i].begin, sought_[i].bytes));
    new_terms_.append(term);
    new_tokens_[found++] = {static_cast<std::uint32_t>(new_terms_.size()),
                            term.empty() ? TermTable::Sought() : grouper_.terms().seek(term)};
  }
  for (std::size_t i = 0; i < found; ++i) grouper_.terms().fetch_term(new_tokens_[i].sought);
  for (std::size_t i = 0; i < found; ++i) grouper_.terms().fetch_suffix(new_tokens_[i].sought);
}

// Adds the tokens at hand, and returns how many of them have terms.
std::uint32_t TermFinder::add_tokens(std::string_view text) {
  find_tokens(0);
  find_terms(text, 0);
  std::uint32_t terms = 0;
  std::size_t at = 0;                    // those before it are added
  std::size_t next = 0, term_begin = 0;  // of the next unknown one: in new_tokens_, in new_terms_
  for (std::size_t i = 0; i < count_; ++i) {
    if (found_[i] != kUnknown) continue;
    terms += grouper_.add(std::span(found_).subspan(at, i - at));  // before ids may change
    at = i;
    const NewToken& found = new_tokens_[next++];
    const std::size_t begin = std::exchange(term_begin, found.term_end);
    const std::uint32_t epoch = grouper_.epoch();
    found_[i] = learn(sought_[i], std::string_view(new_terms_).substr(begin, found.term_end - begin), found.sought);
    if (grouper_.epoch() == epoch) continue;
    find_tokens(i + 1);
    find_terms(text, i + 1);
    next = term_begin = 0;
  }
  terms += grouper_.add(std::span(found_).subspan(at, count_ - at));
  count_ = 0;
  return terms;
}

// The term of a token that was not in the table.
TermId TermFinder::learn(const SoughtToken& token, std::string_view term, const TermTable::Sought& sought) {
  if (const std::optional<TermId> found = tokens_.find(token)) return *found;  // it stands in the text twice
  const std::uint32_t epoch = grouper_.epoch();
  const TermId id = term.empty() ? TokenTable::kStopWord : grouper_.intern(term, sought);
  if (grouper_.epoch() != epoch) tokens_.renumber(grouper_.numbers());
  tokens_.add(token, id);
  return id;
}

}  // namespace frond::indexer::parse
