#pragma once
// What a search answers, by looks at each document: hits in their order with scores and values, totals, facets; and
// whether a broker's answer is that.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/query/planned_query.h"
#include "tests/differential/queries/expected_facets.h"
#include "tests/differential/queries/question.h"
#include "tests/support/document_oracle.h"

namespace frond::queries_test {

// Of what is optional beside something required, each word that matches adds its score (ADR 70).
inline void settle_optional(query::Clause& clause) {
  if (auto* const both = clause.as<query::Bool>();
      both != nullptr && !both->minimum && both->must.size() + both->filter.size() != 0)
    for (query::Clause& one : both->should) one = query::resolved(std::move(one), query::Mode::kOr);
  query::for_each_child(clause, [](const query::Clause& child) { settle_optional(const_cast<query::Clause&>(child)); });
}

class ExpectedAnswer {
 public:
  ExpectedAnswer(const Question& asked, const support::OracleCollection& collection,
                 support::OracleAnalyzers& analyzers, const text::AnalyzerConfig& analyzer,
                 const scoring::Bm25Parameters& built)
      : asked_(asked), collection_(collection) {
    const query::Clause clause = combined();
    scoring::Bm25Parameters bm25 = built;
    if (!scoring::are_impacts(built)) bm25 = {asked.k1.value_or(built.k1), asked.b.value_or(built.b)};
    // Plain words are one text, whatever signs say it.
    const auto words = as_words(analyzer);
    const auto prior_weight = scoring::prior_weight_of(asked.prior_weight.value_or(1));
    support::DocumentOracle every(collection, analyzers, bm25, query::Mode::kAnd);
    support::DocumentOracle any(collection, analyzers, bm25, query::Mode::kOr);
    std::vector<Hit> first, others;
    for (std::size_t i = 0; i < collection.documents().size(); ++i) {
      const support::OracleDocument& document = collection.documents()[i];
      const auto loose = any.ask(clause, document);
      const auto strict = is_single() ? loose : every.ask(clause, document);
      if (!loose.matched && !strict.matched) continue;
      Hit hit{i, strict.matched ? strict.score : loose.score};
      if (words) hit.score = any.score_of(*words, document);
      hit.score = scoring::with_prior(hit.score, scoring::weighted(document.prior, prior_weight));
      (strict.matched ? first : others).push_back(hit);
    }
    all_words_ = first.size();
    order(first);
    order(others);
    hits_ = std::move(first);
    hits_.insert(hits_.end(), others.begin(), others.end());
    Documents documents;
    for (const Hit& hit : hits_) documents.push_back(&collection.documents()[hit.document]);
    // Words that are none ask for nothing, so that all documents match.
    const MatchesClause matches = [&](const query::Clause& one, const support::OracleDocument& document) {
      query::Bool beside;
      beside.must.push_back({query::All()});
      beside.filter.push_back(one);
      return any.ask({std::move(beside)}, document).matched;
    };
    for (const query::Facet& facet : asked.facets)
      facets_[facet.name] = ExpectedFacet(facet, collection.schema(), matches, documents).json();
  }

  std::size_t matches() const { return hits_.size(); }
  // What is wrong with the answer's page from hit `from` on; empty: nothing.
  std::string problem_of(const Json& answer, std::size_t from) const {
    if (answer["coverage"]["partitions_answered"] != answer["coverage"]["partitions_total"])
      return "partitions are unsearched";
    if (asked_.count) {
      if (answer["count"] != matches() || answer["relation"] != "eq")
        return "the count, which is " + std::to_string(matches());
      return "";
    }
    if (const std::string problem = problem_of_totals(answer["total"]); !problem.empty()) return problem;
    const Json wanted = page(from);
    Json got = Json::array();
    for (Json hit : answer["hits"]) {
      for (std::size_t key = 0; key < asked_.sort.size(); ++key)
        if (asked_.sort[key].by == query::SortKey::By::kOrder) hit["sort"][key] = "order";
      got.push_back(std::move(hit));
    }
    if (got != wanted) return "the hits, which are " + wanted.dump();
    const bool more = !asked_.sort.empty() && from + wanted.size() < matches();
    if (answer.contains("cursor") != more) return more ? "no cursor" : "a cursor";
    const Json facets = facets_.empty() ? Json() : Json(facets_);
    if (!are_same(answer.value("facets", Json()), facets)) return "the facets, which are " + facets.dump();
    return "";
  }

 private:
  struct Hit {
    std::size_t document = 0;
    scoring::Score score = 0;
  };

  query::Clause combined() const {
    query::Bool both;
    both.must.push_back(asked_.clause);
    if (asked_.filter) both.filter.push_back(*asked_.filter);
    settle_optional(both.must.front());
    if (asked_.filter) settle_optional(both.filter.front());
    return {std::move(both)};
  }

  // Whether no documents come first, those with all words.
  bool is_single() const { return asked_.count || !asked_.sort.empty(); }
  bool has_scores() const { return asked_.ranked && (asked_.sort.empty() || query::needs_scores(asked_.sort)); }
  // The terms that score, if plain words are all that does.
  std::optional<std::vector<std::string>> as_words(const text::AnalyzerConfig& analyzer) const {
    using broker::query::WrittenQuery;
    WrittenQuery written;
    written.clause = &asked_.clause;
    written.filter_clause = asked_.filter ? &*asked_.filter : nullptr;
    broker::query::QueryAnalyzer by;
    const auto planned = broker::query::plan(written, collection_.schema(), by, analyzer, query::Limits());
    const auto* const plan = std::get_if<broker::query::PlannedQuery>(&planned);
    if (plan == nullptr || !plan->clause.empty() || plan->words.terms.empty()) return {};
    std::vector<std::string> terms;
    for (const wire::QueryTerm& term : plan->words.terms) terms.insert(terms.end(), term.occurrences, term.text);
    return terms;
  }

  const std::vector<schema::Value>* values_of(const Hit& hit, const std::string& field) const {
    const auto number =
        static_cast<std::uint32_t>(collection_.schema().find(field) - collection_.schema().fields.data());
    const auto& values = collection_.documents()[hit.document].values;
    const auto at = values.find(number);
    return at == values.end() ? nullptr : &at->second;
  }
  const schema::Value* value_of(const Hit& hit, const query::SortKey& key) const {
    const auto* const values = values_of(hit, key.field);
    return values == nullptr ? nullptr : key.descending ? &values->back() : &values->front();
  }
  bool comes_first(const Hit& a, const Hit& b) const {
    for (const query::SortKey& key : asked_.sort) {
      if (key.by == query::SortKey::By::kScore) {
        if (a.score != b.score) return (a.score < b.score) != key.descending;
      } else if (key.by == query::SortKey::By::kOrder) {
        if (a.document != b.document) return (a.document < b.document) != key.descending;
      } else {
        const schema::Value *const one = value_of(a, key), *const other = value_of(b, key);
        if ((one == nullptr) != (other == nullptr)) return (one == nullptr) == key.missing_first;
        if (one != nullptr && *one != *other) return (*one < *other) != key.descending;
      }
    }
    if (asked_.sort.empty() && asked_.ranked && a.score != b.score) return a.score > b.score;
    return a.document < b.document;
  }
  void order(std::vector<Hit>& hits) const {
    std::ranges::sort(hits, [this](const Hit& a, const Hit& b) { return comes_first(a, b); });
  }

  Json page(std::size_t from) const {
    Json hits = Json::array();
    for (std::size_t i = from; i < std::min<std::size_t>(from + asked_.k, hits_.size()); ++i) {
      const Hit& hit = hits_[i];
      Json one = {{"id", collection_.documents()[hit.document].id}};
      const double score = static_cast<double>(hit.score) / scoring::kScoreScale;
      if (has_scores()) one["score"] = score;
      for (const query::SortKey& key : asked_.sort) {
        Json shown;
        if (key.by == query::SortKey::By::kScore)
          shown = score;
        else if (key.by == query::SortKey::By::kOrder)
          shown = "order";
        else if (const schema::Value* const value = value_of(hit, key))
          shown = json_of(collection_.schema().find(key.field)->type, *value);
        one["sort"].push_back(std::move(shown));
      }
      hits.push_back(std::move(one));
    }
    return hits;
  }

  std::string problem_of_totals(const Json& total) const {
    const bool exact = asked_.exact_total || is_single() || !asked_.facets.empty() || !asked_.ranked;
    const auto problem = [&](const Json& count, std::size_t right) {
      const std::uint64_t value = count["value"];
      if (count["relation"] == "eq" ? value == right : !exact && value <= right) return std::string();
      return "a total, which is " + std::to_string(right);
    };
    if (std::string found = problem(total, matches()); !found.empty()) return found;
    return total.contains("all_words") ? problem(total["all_words"], all_words_) : "";
  }

  const Question& asked_;
  const support::OracleCollection& collection_;
  std::vector<Hit> hits_;
  std::size_t all_words_ = 0;  // of the hits, the first ones
  std::map<std::string, Json> facets_;
};

}  // namespace frond::queries_test
