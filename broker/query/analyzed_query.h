#pragma once
// Turns the text of a query into the terms to search.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer.h"
#include "common/wire/messages.h"

namespace frond::broker::query {

inline constexpr std::size_t kMaxQueryBytes = 4096;

struct AnalyzedQuery {
  std::vector<wire::QueryTerm> terms;  // distinct, in byte order, so that equal queries compare equal
  std::size_t words = 0;               // sum of the terms' occurrences
  bool only_stop_words = false;        // no terms, but words
};

// Where a text has a term, in bytes.
struct TermPlace {
  std::string term;
  std::size_t begin = 0, end = 0;
};

// Analyses queries with the analyzer of the generation's documents. One thread.
class QueryAnalyzer {
 public:
  // kInvalid: longer than kMaxQueryBytes, not UTF-8, or more than scoring::kMaxQueryTerms terms, repeated ones
  // included; the message says which. A query without terms (only stop words, for example) is no error.
  Result<AnalyzedQuery> analyze(std::string_view query, const text::AnalyzerConfig& config);
  // The same of any UTF-8 of any length.
  Result<AnalyzedQuery> analyze_text(std::string_view text, const text::AnalyzerConfig& config);
  // The terms of a text in its order; of those that overlap the first.
  std::vector<TermPlace> places(std::string_view text, const text::AnalyzerConfig& config);
  text::Analyzer& analyzer_for(const text::AnalyzerConfig& config);

 private:
  // One for each configuration seen; there are only a few.
  std::vector<std::pair<text::AnalyzerConfig, std::unique_ptr<text::Analyzer>>> analyzers_;
};

// The terms with their occurrences as one string: equal queries have equal strings. Part of the cache's key.
std::string normalized(const AnalyzedQuery& query);

}  // namespace frond::broker::query
