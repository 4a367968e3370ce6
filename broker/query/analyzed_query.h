#pragma once
// I have what somebody typed; which terms are searched?
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
  std::vector<wire::QueryTerm> terms;  // distinct, in byte order: equal queries look equal
  std::size_t words = 0;               // the occurrences of all terms
};

// Analyses queries as the generation's documents were. One thread.
class QueryAnalyzer {
 public:
  // kInvalid, saying why: longer than kMaxQueryBytes, not UTF-8, or more than scoring::kMaxQueryTerms terms, counting
  // repeated ones. No term at all (only stop words, say) is no error.
  Result<AnalyzedQuery> analyze(std::string_view query, const text::AnalyzerConfig& config);

 private:
  text::Analyzer& analyzer_for(const text::AnalyzerConfig& config);
  // One for each configuration met: there are a handful at most.
  std::vector<std::pair<text::AnalyzerConfig, std::unique_ptr<text::Analyzer>>> analyzers_;
};

// The terms with their occurrences as one string, equal for queries that have the same answer: part of a cache's key.
std::string normalized(const AnalyzedQuery& query);

}  // namespace frond::broker::query
