#pragma once
// From what somebody wrote to what leaves are asked: the query language or its JSON, and a filter, compared with the
// schema of the generation that is served, in normal form. A query of plain words stays one, whatever signs say it, so
// that the engines of plain queries run it: "+red +fox -dog" is the words "red fox", all of them, and a filter.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/query/analyzed_query.h"
#include "common/query/clause.h"
#include "common/query/facets/facet.h"
#include "common/query/language/query_parser.h"
#include "common/query/limits.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "common/text/analyzer_config.h"
#include "common/wire/messages.h"

namespace frond::broker::query {

frond::query::Mode clause_mode(wire::Mode mode);
wire::Mode wire_mode(frond::query::Mode mode);

// Borrows everything.
struct WrittenQuery {
  std::string_view q;
  const frond::query::Clause* clause = nullptr;  // in place of q
  std::string_view filter;
  const frond::query::Clause* filter_clause = nullptr;  // in place of `filter`; both none: no filter
  frond::query::Syntax syntax = frond::query::Syntax::kQuery;
  std::optional<frond::query::MinimumMatch> minimum;
  wire::Mode mode = wire::Mode::kAuto;
  bool scored = true;  // false: only the number of matches is wanted, so nothing is kAuto
  // With one of these, plain words are a clause, too.
  std::span<const frond::query::SortKey> sort = {};
  std::span<const frond::query::Facet> facets = {};
};

// Whether it is plain words alone: then there is nothing to plan, but for a collection of impacts: q asks it for tokens
// as they are, between white space, each with weight 1, whatever signs they have.
bool is_plain(const WrittenQuery& written);

// Something of q or of the filter that was taken as text, and that somebody may have meant otherwise.
struct ParameterNote {
  std::string_view parameter;
  frond::query::Note note;
};

struct PlannedQuery {
  // `clause` is empty: what is searched. Otherwise the words of what scores, for snippets.
  AnalyzedQuery words;
  wire::Mode mode = wire::Mode::kAuto;
  std::string clause, filter;               // as wire::SearchRequest has them
  std::vector<frond::query::Facet> facets;  // with bounds in the types of their columns
  bool costly = false;                      // many terms, or patterns
  bool matches_nothing = false;
  std::string understood;  // all of it, for people (clause_text.h)
  std::vector<ParameterNote> notes;
};

// Why it is refused.
struct Refusal {
  std::string parameter, detail;
  std::optional<std::size_t> position = {};  // of strict syntax, in code points
};

// `analyzer` is used with `config`. `limits`: what the planned query may have.
std::variant<PlannedQuery, Refusal> plan(const WrittenQuery& written, const schema::Schema& schema,
                                         QueryAnalyzer& analyzer, const text::AnalyzerConfig& config,
                                         const frond::query::Limits& limits);

}  // namespace frond::broker::query
