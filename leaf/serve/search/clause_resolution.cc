#include "leaf/serve/search/clause_resolution.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "leaf/clauses/resolve/resolver.h"

namespace frond::leaf::serve {
namespace {

// The analyzers that a clause's texts need: that of the collection, which requests share, and others as they are asked
// for.
class ClauseAnalyzers {
 public:
  ClauseAnalyzers(const text::AnalyzerConfig& config, AnalyzerPool& pool)
      : config_(config), lease_(pool.take(config)) {}

  text::Analyzer& words(const schema::Field* field) {
    if (field == nullptr || field->analyzer.empty()) return *lease_;
    return other(field->analyzer, /*whole=*/true);
  }
  text::Analyzer& pieces(const schema::Field* field) {
    return other(field == nullptr ? std::string() : field->analyzer, /*whole=*/false);
  }

 private:
  text::Analyzer& other(const std::string& name, bool whole) {
    std::unique_ptr<text::Analyzer>& made = others_[{name, whole}];
    if (made != nullptr) return *made;
    text::AnalyzerConfig config = name.empty() ? config_ : text::field_analyzer(config_, name);
    if (!whole) {
      config.stemmer = text::Stemmer::kNone;
      config.stop_words = false;
    }
    made = std::make_unique<text::Analyzer>(config, /*cache_bits=*/0);
    return *made;
  }

  const text::AnalyzerConfig& config_;
  const AnalyzerPool::Lease lease_;
  std::map<std::pair<std::string, bool>, std::unique_ptr<text::Analyzer>> others_;
};

}  // namespace

Result<clauses::ResolvedQuery> resolve_in(const generation::ServedGeneration& generation, const query::Clause& clause,
                                          const scoring::Bm25Parameters& bm25, const SearchParts& parts,
                                          Deadline deadline) {
  static const schema::Schema no_fields;
  AnalyzerPool own;
  ClauseAnalyzers analyzers(generation.analyzer, parts.analyzers != nullptr ? *parts.analyzers : own);
  const clauses::ResolverSource source{
      generation.schema != nullptr ? *generation.schema : no_fields,
      bm25,
      generation.statistics,
      generation.field_tokens,
      [&](const schema::Field* field) -> text::Analyzer& { return analyzers.words(field); },
      [&](const schema::Field* field) -> text::Analyzer& { return analyzers.pieces(field); },
      [&](std::string_view term) -> Result<std::uint64_t> {
        auto known = FROND_TRY(parts.terms != nullptr ? parts.terms->look_up(generation, term)
                                                      : KnownTerm::make(generation, term));
        return known->df();
      },
      [&](std::string_view first, const clauses::ResolverSource::Visit& visit) {
        return generation.terms->for_each_from(first, visit);
      },
      parts.max_expansions,
      [&] { return deadline.passed(parts.clock); }};
  return clauses::resolve(clause, source);
}

}  // namespace frond::leaf::serve
