#include "indexer/parse/term_finder.h"

#include <algorithm>
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

// Takes the tokens of a text from who cuts it.
class TermFinder::Sink {
 public:
  Sink(TermFinder& finder, std::string_view text) : finder_(finder), text_(text) {}
  void operator()(text::TokenSpan token) {
    finder_.begins_[finder_.count_] = static_cast<std::uint32_t>(token.begin);
    finder_.ends_[finder_.count_] = static_cast<std::uint32_t>(token.end);
    if (++finder_.count_ == kTokensAhead) terms_ += finder_.add_full(text_);
  }
  void runs(std::size_t base, const std::uint64_t* begins, const std::uint64_t* ends, std::size_t blocks,
            std::size_t open) {
    const auto first = static_cast<std::uint32_t>(base);
    std::uint32_t* at = finder_.begins_.data() + finder_.count_;
    if (open != text::kNoWord) *at++ = static_cast<std::uint32_t>(open);
    text::find_places(begins, blocks, first, at);
    finder_.count_ += text::find_places(ends, blocks, first, finder_.ends_.data() + finder_.count_);
    terms_ += finder_.add_full(text_);
  }
  std::uint32_t finish() {
    const std::size_t left = std::exchange(finder_.count_, 0);
    terms_ += finder_.add_tokens(text_, 0, left);
    return terms_ + finder_.add_new(text_);
  }

 private:
  TermFinder& finder_;
  const std::string_view text_;
  std::uint32_t terms_ = 0;
};

std::uint32_t TermFinder::add(std::string_view text) {
  FROND_CHECK(text.size() <= 0xffffffff);
  if (analyzer_.config().kind != text::AnalyzerKind::kStandard3) return add_form(text, 0);
  std::uint32_t terms = 0;
  form_.in_pieces(text, [&](std::string_view form, std::size_t from) { terms += add_form(form, from); });
  return terms;
}

// Of a text, or a piece of its form.
std::uint32_t TermFinder::add_form(std::string_view form, std::size_t from) {
  Sink sink(*this, form);
  if (analyzer_.config().kind == text::AnalyzerKind::kStandard)
    text::for_each_token(form, sink);
  else
    text::for_each_span(
        form, [&](text::TokenSpan span, bool) { sink(span); }, text::span_rules(analyzer_.config()), from);
  return sink.finish();
}

// Adds the tokens at hand, kTokensAhead at a time, as long as there are so many, and returns how many had terms.
std::uint32_t TermFinder::add_full(std::string_view text) {
  std::uint32_t terms = 0;
  std::size_t at = 0;
  for (; count_ - at >= kTokensAhead; at += kTokensAhead) terms += add_tokens(text, at, kTokensAhead);
  count_ -= at;
  std::copy_n(begins_.begin() + at, count_, begins_.begin());
  std::copy_n(ends_.begin() + at, count_, ends_.begin());
  return terms;
}

// Adds those of the tokens at hand from `first` on that have terms in the table, and returns how many these are. The
// others become new ones.
std::uint32_t TermFinder::add_tokens(std::string_view text, std::size_t first, std::size_t count) {
  find_tokens(text, first, count);
  grouper_.add(std::span(found_).first(found_count_));
  const auto terms = static_cast<std::uint32_t>(found_count_);
  return new_count_ < kNewTokensAhead ? terms : terms + add_new(text);
}

// Begins to load what the grouper needs of the terms that are found.
void TermFinder::find_tokens(std::string_view text, std::size_t first, std::size_t count) {
  const auto lookups = std::span(lookups_).first(count);
  tokens_.seek(text, begins_.data() + first, ends_.data() + first, lookups);
  tokens_.find(lookups, terms_.data(), grouper_.lines());
  const KnownTokens known = tell_apart(std::span(terms_).first(count), found_.data(), unknown_.data());
  found_count_ = known.found;
  for (std::size_t i = 0; i < known.unknown; ++i) new_[new_count_++].token = lookups_[unknown_[i]];
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
    one.lookup = term.empty() ? TermTable::Lookup() : grouper_.terms().seek(term);
    ++kept;
  }
  new_count_ = kept;
  const auto all = std::span(new_).first(kept);
  for (const NewToken& one : all) grouper_.terms().fetch_term(one.lookup);
  for (const NewToken& one : all) grouper_.terms().fetch_suffix(one.lookup);
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
  const TokenLookup& lookup = token.token;
  if (const TermId found = tokens_.find(lookup); found != TokenTable::kUnknown) return found;  // the text has it twice
  const std::uint32_t epoch = grouper_.epoch();
  const TermId id = term.empty() ? TokenTable::kStopWord : grouper_.intern(term, token.lookup);
  if (grouper_.epoch() != epoch) {
    tokens_.renumber(grouper_.numbers());
    long_tokens_.renumber(grouper_.numbers());
  }
  if (lookup.bytes > TokenTable::kMaxTokenBytes)
    long_tokens_.add(text.substr(lookup.begin, lookup.bytes), id);
  else
    tokens_.add(lookup, id);
  return id;
}

}  // namespace frond::indexer::parse
