#pragma once
// Clauses to ResolvedQuery: analyses texts, looks terms up, expands prefixes and wildcards. Once for each query and
// generation.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "common/base/result.h"
#include "common/query/clause.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer.h"
#include "leaf/clauses/resolve/resolved_query.h"

namespace frond::leaf::clauses {

// A generation, as a resolver sees it. What is referred to outlives the call of resolve().
struct ResolverSource {
  const schema::Schema& schema;
  scoring::Bm25Parameters bm25;  // of the query
  scoring::CollectionStatistics statistics;
  std::span<const std::uint64_t> field_tokens;  // by field
  // Analyses what is meant for this field; null: for all text.
  std::function<text::Analyzer&(const schema::Field*)> analyzer;
  // The same without a stemmer and stop words, for pieces of words.
  std::function<text::Analyzer&(const schema::Field*)> plain_analyzer;
  // A term's document frequency; 0: no document has it. Errors: kCorrupt, kUnavailable.
  std::function<Result<std::uint64_t>(std::string_view term)> df;
  // Visits terms from `first` on, in byte order, until the visitor returns false.
  using Visit = std::function<bool(std::string_view term, std::uint64_t df)>;
  std::function<Result<void>(std::string_view first, const Visit&)> for_each_from;
  std::size_t max_expansions = 1024;
  std::function<bool()> is_over = {};  // whether the query's time is over; empty: it never is
};

// Words with Mode::kAuto mean kOr: use query::resolved() before. kInvalid: the clause does not fit the schema
// (query::bind()), or a prefix or wildcard stands for more than max_expansions terms,
// or a text has more than scoring::kMaxQueryTerms different ones; kDeadline.
Result<ResolvedQuery> resolve(const query::Clause& clause, const ResolverSource& source);

}  // namespace frond::leaf::clauses
