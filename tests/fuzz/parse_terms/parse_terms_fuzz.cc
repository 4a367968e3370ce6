// A parser's terms of any bytes, found with vectors and tables, are those of the plain path: one token after the other,
// each analyzed. The tables are small and stay from input to input, so that they fill up and are cleared in the middle.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "indexer/parse/term_finder.h"

using namespace frond;
using namespace frond::indexer;

using Terms = std::map<std::string, std::uint64_t>;

static Terms plain_terms(text::Analyzer& analyzer, std::string_view text) {
  Terms terms;
  if (analyzer.config().kind != text::AnalyzerKind::kStandard) {
    for (std::string& term : analyzer.terms(text)) ++terms[std::move(term)];
    return terms;
  }
  for (text::TokenSpan token = text::next_token(text, 0); token.begin != token.end;
       token = text::next_token(text, token.end)) {
    const std::string_view term = analyzer.term_of(text.substr(token.begin, token.end - token.begin));
    if (!term.empty()) ++terms[std::string(term)];
  }
  return terms;
}

static Terms terms_of(const parse::TokenGroups& tokens) {
  Terms terms;
  for (const parse::TokenGroup& group : tokens.groups) {
    const ByteView bytes = tokens.of(group);
    for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
      const parse::GroupedTerm term = parse::GroupedTerm::read(at);
      at = term.end();
      std::uint64_t& occurrences =
          terms[std::string(dictionary::TriePrefix(group.collection).text()).append(term.suffix)];
      for (std::uint32_t i = 0; i < term.postings; ++i) occurrences += term.frequency(i);
    }
  }
  return terms;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const text::AnalyzerConfig french = {text::Stemmer::kFrench, *text::StopWords::named("french"),
                                              text::AnalyzerKind::kStandard2, true};
  static const text::AnalyzerConfig porter = {text::Stemmer::kPorter, true, text::AnalyzerKind::kStandard3};
  static text::Analyzer plain[] = {text::Analyzer({text::Stemmer::kPorter, true}),
                                   text::Analyzer({text::Stemmer::kNone, false}), text::Analyzer(french),
                                   text::Analyzer(porter)};
  static parse::TokenGrouper groupers[] = {
      parse::TokenGrouper(1 << 16, parse::kMinTableBits), parse::TokenGrouper(1 << 16, parse::kMinTableBits),
      parse::TokenGrouper(1 << 16, parse::kMinTableBits), parse::TokenGrouper(1 << 16, parse::kMinTableBits)};
  static parse::TermFinder finders[] = {{{text::Stemmer::kPorter, true}, parse::kMinTableBits, groupers[0]},
                                        {{text::Stemmer::kNone, false}, parse::kMinTableBits, groupers[1]},
                                        {french, parse::kMinTableBits, groupers[2]},
                                        {porter, parse::kMinTableBits, groupers[3]}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i < 4; ++i) {
    groupers[i].begin_document(0);
    const std::uint32_t length = finders[i].add(text);
    parse::TokenGroups tokens;
    groupers[i].finish(tokens);
    const Terms expected = plain_terms(plain[i], text);
    FROND_CHECK(terms_of(tokens) == expected);
    std::uint64_t sum = 0;
    for (const auto& [term, occurrences] : expected) sum += occurrences;
    FROND_CHECK(length == sum);
  }
  return 0;
}
