#include "leaf/serve/documents/explanations.h"

#include <utility>
#include <vector>

#include "common/query/json/clause_json.h"
#include "leaf/clauses/explanation.h"
#include "leaf/serve/search/clause_resolution.h"
#include "leaf/serve/search/term_table.h"

namespace frond::leaf::serve {
namespace {

using clauses::ResolvedQuery;

const scoring::Bm25Parameters& bm25_of(const generation::ServedGeneration& generation,
                                       const wire::SearchRequest& search) {
  return search.bm25 ? *search.bm25 : generation.bm25;
}

// Any of the terms: a document that has all of them gets the same score.
Result<ResolvedQuery> resolved_terms(const generation::ServedGeneration& generation, const wire::SearchRequest& search,
                                     const SearchParts& parts) {
  ResolvedQuery made;
  made.bm25 = bm25_of(generation, search);
  made.statistics = generation.statistics;
  made.norms[clauses::kAllText] = scoring::length_norm(made.bm25, made.statistics);
  clauses::BoolNode any;
  any.minimum = 1;
  const KnownTerms known = FROND_TRY(look_up(generation, made.bm25, search.terms, parts.terms));
  for (const KnownTerms::Term& one : known.terms) {
    any.should.push_back({clauses::TermNode{static_cast<clauses::ListNumber>(made.lists.size()), one.weight}, {}});
    made.lists.push_back({one.term->text(), clauses::kAllText, one.term->df()});
  }
  if (any.should.size() == 1)
    made.root = std::move(any.should.front());
  else
    made.root.what = std::move(any);
  return made;
}

// What gave a document its score: the first of them that it matches.
Result<std::vector<ResolvedQuery>> queries_of(const generation::ServedGeneration& generation,
                                              const wire::SearchRequest& search, const SearchParts& parts,
                                              Deadline deadline) {
  std::vector<ResolvedQuery> queries;
  if (search.clause.empty()) {
    queries.push_back(FROND_TRY(resolved_terms(generation, search, parts)));
    return queries;
  }
  const query::Clause clause = FROND_TRY(query::parse_clause(search.clause, "clause"));
  for (const query::Mode mode : {query::Mode::kAnd, query::Mode::kOr}) {
    if (search.mode == (mode == query::Mode::kAnd ? wire::Mode::kOr : wire::Mode::kAnd)) continue;
    queries.push_back(
        FROND_TRY(resolve_in(generation, query::resolved(clause, mode), bm25_of(generation, search), parts, deadline)));
  }
  return queries;
}

struct Document {
  DocId docid = 0;
  wire::FetchedDocument* shown = nullptr;
};

Result<void> explain_in(const generation::ServedPartition& served, const schema::Schema& schema,
                        const ResolvedQuery& query, const wire::SearchRequest& search, const SearchParts& parts,
                        Deadline deadline, std::span<const Document> documents) {
  const partition::Partition& partition = served.open->partition();
  const clauses::OpenedPartition opened(partition);
  clauses::ClausePlan plan;
  plan.query = &query;
  plan.partition = &opened;
  plan.plan.lengths = partition.lengths();
  if (search.prior_weight != 0) plan.plan.priors = partition.priors();
  plan.plan.prior_weight = search.prior_weight;
  plan.plan.deadline = deadline;
  std::vector<lists::ListKey> keys;
  keys.reserve(query.lists.size());
  for (const clauses::QueryList& list : query.lists) keys.push_back({served.open->number(), list.term});
  if (!keys.empty()) plan.lists = FROND_TRY(parts.lists.fetch(keys, deadline));
  clauses::Explainer explainer(plan, schema, parts.clock);
  for (const Document& one : documents) {
    if (!one.shown->explanation.empty()) continue;
    const auto explanation = FROND_TRY(explainer.explain(one.docid));
    FROND_TRY(served.open->intact());
    for (const lists::ListLease& list : plan.lists)
      if (list != nullptr) FROND_TRY(list->intact());
    if (explanation) one.shown->explanation = clauses::explanation_json(*explanation);
  }
  return {};
}

}  // namespace

Result<void> explain(const generation::ServedGeneration& generation, const wire::SearchRequest& search,
                     const SearchParts& parts, Deadline deadline, std::span<wire::FetchedDocument> documents) {
  static const schema::Schema no_fields;
  const schema::Schema& schema = generation.schema != nullptr ? *generation.schema : no_fields;
  const auto queries = FROND_TRY(queries_of(generation, search, parts, deadline));
  for (const generation::ServedPartition& partition : generation.partitions) {
    std::vector<Document> here;
    for (wire::FetchedDocument& one : documents)
      if (const auto docid = partition.placement.docid(one.ordinal); docid && one.found) here.push_back({*docid, &one});
    if (here.empty()) continue;
    for (const ResolvedQuery& query : queries)
      FROND_TRY(explain_in(partition, schema, query, search, parts, deadline, here));
  }
  return {};
}

}  // namespace frond::leaf::serve
