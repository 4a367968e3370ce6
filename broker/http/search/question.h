#pragma once
// What is searched, and how: the parameters of a search, compared with the generation that it is for. Pure functions.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cluster/topology.h"
#include "broker/http/admission/admission.h"
#include "broker/http/search/search_parameters.h"
#include "broker/merge/merge.h"
#include "broker/query/analyzed_query.h"
#include "broker/query/cursor.h"
#include "broker/scatter/search.h"
#include "common/query/near_words.h"
#include "common/scoring/bm25.h"
#include "common/scoring/prior.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

struct Question {
  SearchParameters parameters;
  std::shared_ptr<const cluster::Topology> topology;
  std::vector<wire::QueryTerm> terms;
  Admission::Kind kind;
  // To rank by; empty: those of the generation, or nothing is ranked. Equal searches have equal ones, however they say
  // it.
  std::optional<scoring::Bm25Parameters> bm25;
  std::string understood;  // rendered (answer_json.h)
  // Of what is not plain words: as wire::SearchRequest has them.
  std::string clause, filter, sort, facets;
  merge::Arrangement arrangement;       // what `sort` and `facets` say
  std::optional<query::Cursor> cursor;  // what `search_after` says
  std::uint64_t ranking = 0;            // with an order: ranking_of()
  bool costly_clause = false, matches_nothing = false;
  std::vector<frond::query::NearWord> near;
  std::vector<query::TermPlace> places;  // with parameters.did_you_mean: of the words of q

  bool is_ranked() const { return parameters.rank != wire::Rank::kNone; }
  bool is_sorted() const { return !sort.empty(); }
  // Whether hits have scores.
  bool is_scored() const { return is_ranked() && (!is_sorted() || needs_scores(arrangement.order)); }
  // In fixed point; the usual one if nothing is ranked.
  scoring::PriorWeight prior_weight() const {
    return is_ranked() ? scoring::prior_weight_of(parameters.prior_weight) : scoring::kUsualPriorWeight;
  }
  // Whether the search costs many times the usual (common/wire/messages.h).
  bool is_costly() const {
    return parameters.processor == wire::Processor::kExhaustive || parameters.k > wire::kCostlyDocuments ||
           parameters.offset + parameters.k > wire::kCostlyDepth || terms.size() > wire::kCostlyTerms ||
           clause.size() + filter.size() > wire::kCostlyClauseBytes || costly_clause ||
           (parameters.explain && parameters.k > wire::kCostlyExplained) ||
           (parameters.k > wire::kCostlySources && shows_sources()) ||
           !std::ranges::all_of(near, &frond::query::NearWord::only_absent);
  }
  bool shows_sources() const { return std::ranges::count(parameters.columns, kSource) > 0; }
  // With an order or facets all matches are looked at. Without ranking the total is exact anyway.
  bool exact_total() const {
    return (parameters.exact_total || is_sorted() || !arrangement.facets.empty()) && is_ranked();
  }
  bool asks_leaves() const {
    return !topology->partitions.empty() &&
           ((!matches_nothing && (!terms.empty() || !clause.empty())) || !near.empty());
  }
  // Without what the topology says.
  wire::SearchRequest request() const;
};

// To rank by; empty: by those of the generation, or nothing is ranked.
std::optional<scoring::Bm25Parameters> own_bm25(const SearchParameters& parameters,
                                                const scoring::Bm25Parameters& of_generation);
// A hash of all that decides a ranking but for the generation, so that it needs none: of the collection's name, and of
// what is asked, as it is written.
std::uint64_t ranking_of(const SearchParameters& asked, std::string_view collection);
// `collection`: the number of the broker's. `query`: the words of the question.
std::string cache_key(std::uint32_t collection, const Question& question, const query::AnalyzedQuery& query);
// What was asked for, and by which filter, for people.
std::string asked_text(const SearchParameters& parameters);
scatter::SearchPlan plan_of(const Question& question);
// The answer to a query without terms; no leaf is asked.
merge::Page empty_page(const Question& question);
// What is wrong with wanted columns, in words that begin with the parameter's name; none: nothing.
std::optional<std::string> problem_of_columns(const std::vector<std::string>& columns, const schema::Schema& schema);
// What a leaf without the features that the request needs does not do, in words that follow "which ".
std::string_view what_it_lacks(const wire::SearchRequest& request);

}  // namespace frond::broker::http
