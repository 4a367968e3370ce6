#include "broker/query/analyzed_query.h"

#include <algorithm>

#include "common/scoring/bm25.h"
#include "common/text/utf8.h"

namespace frond::broker::query {

Result<AnalyzedQuery> QueryAnalyzer::analyze(std::string_view query, const text::AnalyzerConfig& config) {
  if (query.size() > kMaxQueryBytes)
    return Error(Code::kInvalid,
                 "q is " + std::to_string(query.size()) + " bytes, more than " + std::to_string(kMaxQueryBytes));
  if (!text::is_utf8(query)) return Error(Code::kInvalid, "q is not valid UTF-8");
  return analyze_text(query, config);
}

Result<AnalyzedQuery> QueryAnalyzer::analyze_text(std::string_view query, const text::AnalyzerConfig& config) {
  std::vector<std::string> words = analyzer_for(config).query_terms(query);
  if (words.size() > scoring::kMaxQueryTerms)
    return Error(Code::kInvalid, "q has " + std::to_string(words.size()) + " terms, more than " +
                                     std::to_string(scoring::kMaxQueryTerms));
  std::sort(words.begin(), words.end());
  AnalyzedQuery analyzed;
  analyzed.words = words.size();
  const text::TokenSpan first = text::Analyzer::next_token(query, 0);
  analyzed.only_stop_words = words.empty() && first.begin < first.end;
  for (auto& word : words) {
    if (!analyzed.terms.empty() && analyzed.terms.back().text == word)
      ++analyzed.terms.back().occurrences;
    else
      analyzed.terms.push_back({std::move(word), 1});
  }
  return analyzed;
}

std::vector<TermPlace> QueryAnalyzer::places(std::string_view text, const text::AnalyzerConfig& config) {
  std::vector<TermPlace> places;
  analyzer_for(config).analyze(text, [&](std::string_view term, text::TokenSpan where) {
    if (places.empty() || where.begin >= places.back().end)
      places.push_back({std::string(term), where.begin, where.end});
  });
  return places;
}

text::Analyzer& QueryAnalyzer::analyzer_for(const text::AnalyzerConfig& config) {
  for (const auto& [known, analyzer] : analyzers_)
    if (known == config) return *analyzer;
  return *analyzers_.emplace_back(config, std::make_unique<text::Analyzer>(config)).second;
}

std::string normalized(const AnalyzedQuery& query) {
  std::string out;
  for (const auto& term : query.terms) {  // terms hold no NUL, so it can separate them
    out += term.text;
    out += '\0';
    if (term.occurrences > 1) out += std::to_string(term.occurrences);
    out += '\0';
  }
  return out;
}

}  // namespace frond::broker::query
