#include "indexer/parse/term_finder.h"

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
    sought_[count_].begin = static_cast<std::uint32_t>(token.begin);
    sought_[count_].bytes = static_cast<std::uint32_t>(token.end - token.begin);
    if (++count_ == kTokensAhead) terms += add_tokens(text);
  };
  if (analyzer_.config().kind == text::AnalyzerKind::kStandard)
    text::for_each_token(text, take);
  else
    text::for_each_span(text, [&](text::TokenSpan span, bool) { take(span); });
  terms += add_tokens(text);
  return terms + add_new(text);
}

// Adds the tokens at hand that have terms in the table, and returns how many these are. The others become new ones.
std::uint32_t TermFinder::add_tokens(std::string_view text) {
  find_tokens(text);
  count_ = 0;
  grouper_.add(std::span(found_).first(found_count_));
  const auto terms = static_cast<std::uint32_t>(found_count_);
  return new_count_ < kNewTokensAhead ? terms : terms + add_new(text);
}

// Begins to load what the grouper needs of the terms that are found.
void TermFinder::find_tokens(std::string_view text) {
  for (std::size_t i = 0; i < count_; ++i) tokens_.seek(text, sought_[i]);
  // Whether a token is there, and a stop word, is not predictable, so neither is a branch.
  std::size_t found = 0, unknown = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const TermId term = tokens_.find(sought_[i]);
    found_[found] = term;
    unknown_[unknown] = static_cast<std::uint32_t>(i);
    found += static_cast<std::size_t>(term < TokenTable::kUnknown);
    unknown += static_cast<std::size_t>(term == TokenTable::kUnknown);
    grouper_.prefetch(term);
  }
  found_count_ = found;
  for (std::size_t i = 0; i < unknown; ++i) new_[new_count_++].token = sought_[unknown_[i]];
}

// Puts the terms of new tokens into new_terms_, and has on its way what the table of terms will be asked for. Long
// tokens that were met before are new no more.
void TermFinder::find_terms(std::string_view text) {
  new_terms_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < new_count_; ++i) {
    NewToken& one = new_[kept];
    one.token = new_[i].token;
    const std::string_view token = text.substr(one.token.begin, one.token.bytes);
    if (token.size() > TokenTable::kMaxTokenBytes) {
      const TermId known = long_tokens_.find(token);
      learnt_[learnt_count_] = known;
      learnt_count_ += static_cast<std::size_t>(known < TokenTable::kUnknown);
      if (known != TokenTable::kUnknown) continue;
    }
    const std::string_view term = analyzer_.term_of(token);
    new_terms_.append(term);
    one.term_end = static_cast<std::uint32_t>(new_terms_.size());
    one.sought = term.empty() ? TermTable::Sought() : grouper_.terms().seek(term);
    ++kept;
  }
  new_count_ = kept;
  const auto all = std::span(new_).first(kept);
  for (const NewToken& one : all) grouper_.terms().fetch_term(one.sought);
  for (const NewToken& one : all) grouper_.terms().fetch_suffix(one.sought);
}

// Adds the new tokens that have terms, and returns how many these are.
std::uint32_t TermFinder::add_new(std::string_view text) {
  if (new_count_ == 0) return 0;
  find_terms(text);
  std::size_t added = 0, term_begin = 0;
  const auto add_learnt = [&] {
    grouper_.add(std::span(learnt_).first(learnt_count_));
    added += std::exchange(learnt_count_, 0);
  };
  for (const NewToken& one : std::span(new_).first(new_count_)) {
    const std::size_t begin = std::exchange(term_begin, one.term_end);
    if (grouper_.terms().full()) add_learnt();  // ids may change
    const TermId term = learn(one, text, std::string_view(new_terms_).substr(begin, one.term_end - begin));
    learnt_[learnt_count_] = term;
    learnt_count_ += static_cast<std::size_t>(term != TokenTable::kStopWord);
  }
  add_learnt();
  new_count_ = 0;
  return static_cast<std::uint32_t>(added);
}

// The term of a token that was in no table.
TermId TermFinder::learn(const NewToken& token, std::string_view text, std::string_view term) {
  const SoughtToken& sought = token.token;
  if (const TermId found = tokens_.find(sought); found != TokenTable::kUnknown) return found;  // the text has it twice
  const std::uint32_t epoch = grouper_.epoch();
  const TermId id = term.empty() ? TokenTable::kStopWord : grouper_.intern(term, token.sought);
  if (grouper_.epoch() != epoch) {
    tokens_.renumber(grouper_.numbers());
    long_tokens_.renumber(grouper_.numbers());
  }
  if (sought.bytes > TokenTable::kMaxTokenBytes)
    long_tokens_.add(text.substr(sought.begin, sought.bytes), id);
  else
    tokens_.add(sought, id);
  return id;
}

}  // namespace frond::indexer::parse
