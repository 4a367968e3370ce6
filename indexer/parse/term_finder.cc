#include "indexer/parse/term_finder.h"

#include <array>

#include "common/text/token_cutter.h"

namespace frond::indexer::parse {
namespace {

// 512 KiB: a word is only looked up here if it is not among the tokens.
constexpr int kTermCacheBits = 13;
// Tokens that are looked up together, so that the table's memory is on its way when it is read.
constexpr std::size_t kTokensAhead = 32;

}  // namespace

TermFinder::TermFinder(const text::AnalyzerConfig& analyzer, int table_bits, TokenGrouper& grouper)
    : analyzer_(analyzer, kTermCacheBits), tokens_(table_bits), grouper_(grouper) {}

std::uint32_t TermFinder::add(std::string_view text) {
  std::uint32_t terms = 0;
  std::array<SoughtToken, kTokensAhead> sought;
  std::size_t count = 0;
  const auto take = [&](text::TokenSpan token) {
    sought[count++] = tokens_.seek(text, token);
    if (count < sought.size()) return;
    terms += add_tokens(text, sought);
    count = 0;
  };
  if (analyzer_.config().kind == text::AnalyzerKind::kStandard)
    text::for_each_token(text, take);
  else
    text::for_each_span(text, [&](text::TokenSpan span, bool) { take(span); });
  return terms + add_tokens(text, std::span(sought).first(count));
}

// Returns how many of them have terms.
std::uint32_t TermFinder::add_tokens(std::string_view text, std::span<const SoughtToken> sought) {
  std::uint32_t terms = 0;
  for (const SoughtToken& token : sought) {
    const std::optional<TermId> found = tokens_.find(token);
    const TermId term = found ? *found : learn(text, token);
    if (term == TokenTable::kStopWord) continue;
    grouper_.add(term);
    ++terms;
  }
  return terms;
}

// The term of a token that is not in the table.
TermId TermFinder::learn(std::string_view text, const SoughtToken& token) {
  const std::string_view term = analyzer_.term_of(text.substr(token.where.begin, token.where.end - token.where.begin));
  const std::uint32_t epoch = grouper_.epoch();
  const TermId id = term.empty() ? TokenTable::kStopWord : grouper_.intern(term);
  if (grouper_.epoch() != epoch) tokens_.renumber(grouper_.numbers());
  tokens_.add(token, id);
  return id;
}

}  // namespace frond::indexer::parse
