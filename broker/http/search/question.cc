#include "broker/http/search/question.h"

#include <algorithm>
#include <utility>

#include "common/query/json/clause_json.h"
#include "common/schema/nearest_names.h"

namespace frond::broker::http {

wire::SearchRequest Question::request() const {
  wire::SearchRequest request;
  if (clause.empty()) request.terms = terms;
  request.clause = clause;
  request.filter = filter;
  request.sort = sort;
  if (cursor && !cursor->after.bytes.empty()) request.after = cursor->after;
  request.facets = facets;
  request.near = near;
  request.simple_facets = std::ranges::all_of(arrangement.facets, frond::query::is_simple);
  request.mode = parameters.mode;
  request.rank = parameters.rank;
  request.bm25 = bm25;
  request.prior_weight = prior_weight();
  request.exact_total = exact_total();
  request.processor = parameters.processor;
  request.profile = parameters.profile || parameters.explain;  // the explanation names the engines of the profile
  return request;
}

std::optional<scoring::Bm25Parameters> own_bm25(const SearchParameters& parameters,
                                                const scoring::Bm25Parameters& of_generation) {
  if (parameters.rank == wire::Rank::kNone) return {};
  const scoring::Bm25Parameters asked{parameters.k1.value_or(of_generation.k1), parameters.b.value_or(of_generation.b)};
  return asked == of_generation ? std::nullopt : std::optional(asked);
}

std::uint64_t ranking_of(const SearchParameters& asked, std::string_view collection) {
  std::string text;
  const auto put = [&](auto value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto clause_of = [](const auto& clause) { return clause ? clause_json(*clause) : std::string(); };
  const std::string query = clause_of(asked.query), filter = clause_of(asked.filter_clause);
  const std::string sort = sort_text(asked.sort);
  for (const std::string_view part : {collection, std::string_view(asked.q), std::string_view(query),
                                      std::string_view(asked.filter), std::string_view(filter), std::string_view(sort)})
    text.append(std::to_string(part.size())).append(" ").append(part);
  put(asked.syntax);
  put(asked.mode);
  put(asked.minimum_should_match.has_value());
  if (asked.minimum_should_match) {
    put(asked.minimum_should_match->kind);
    put(asked.minimum_should_match->number);
  }
  if (!needs_scores(asked.sort)) return query::query_hash(text);
  for (const auto& number : {asked.k1, asked.b}) {
    put(number.has_value());
    put(number.value_or(0));
  }
  put(scoring::prior_weight_of(asked.prior_weight));
  return query::query_hash(text);
}

std::string cache_key(std::uint32_t collection, const Question& question, const query::AnalyzedQuery& query) {
  std::string key;
  const auto put = [&](auto value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const SearchParameters& parameters = question.parameters;
  put(collection);
  put(question.topology->generation);
  put(question.topology->content);
  put(parameters.k);
  put(parameters.offset);
  put(parameters.mode);
  put(parameters.rank);
  put(question.prior_weight());
  put(question.bm25.has_value());
  if (question.bm25) {
    put(question.bm25->k1);
    put(question.bm25->b);
  }
  put(parameters.count);
  put(parameters.processor);  // hits are the same on all processors, but not where counting stopped
  put(parameters.explain);
  put(parameters.fields);
  put(question.ranking);  // which the answer's cursor names: questions that are equal but in their words have others
  put(question.cursor.has_value());
  if (question.cursor) {
    put(question.cursor->after.ordinal);
    put(question.cursor->after.bytes.size());
    key += question.cursor->after.bytes;
  }
  key.append(normalized(query)).append(question.understood);
  // No term and no JSON has a line end.
  if (!question.clause.empty() || !question.filter.empty())
    key.append("\n").append(question.clause).append("\n").append(question.filter);
  for (const auto& [name, text] : {std::pair("\nsort ", &question.sort), std::pair("\nfacets ", &question.facets)})
    if (!text->empty()) key.append(name).append(*text);
  if (question.exact_total()) key += "\ntotal";
  if (parameters.cursors) key += "\ncursors";
  if (parameters.did_you_mean) key.append("\nmean ").append(parameters.q);  // which the answer mends
  for (const frond::query::NearWord& one : parameters.near) {
    put(one.field.size());
    put(one.word.size());
    key.append(one.field).append(one.word);
    put(one.edits);
    put(one.swaps);
    put(one.same_letters);
    put(one.least_nearness);
    put(one.least_df);
    put(one.more_frequent);
    put(one.only_absent);
    put(one.most);
  }
  for (const std::string& column : parameters.columns) key.append("\n:").append(column);
  return key;
}

std::string asked_text(const SearchParameters& parameters) {
  std::string text = parameters.query ? clause_json(*parameters.query) : parameters.q;
  if (parameters.filter_clause)
    text.append(" filter ").append(clause_json(*parameters.filter_clause));
  else if (!parameters.filter.empty())
    text.append(" filter ").append(parameters.filter);
  return text;
}

scatter::SearchPlan plan_of(const Question& question) {
  const SearchParameters& asked = question.parameters;
  scatter::SearchPlan plan{.topology = question.topology,
                           .request = question.request(),
                           .k = asked.k,
                           .offset = asked.offset,
                           .fields = asked.fields,
                           .columns = asked.columns,
                           .explain = asked.explain && (asked.sort.empty() || needs_scores(asked.sort))};
  plan.arrangement = question.arrangement;
  plan.facets_apart = asked.facets_apart;
  if (!question.clause.empty())
    for (const auto& term : question.terms) plan.snippet_terms.push_back(term.text);
  return plan;
}

merge::Page empty_page(const Question& question) {
  merge::Page page;
  page.generation = question.topology->generation;
  page.partitions_total = static_cast<std::uint32_t>(question.topology->partitions.size());
  page.mode_used = question.parameters.mode == wire::Mode::kOr ? wire::Mode::kOr : wire::Mode::kAnd;
  if (question.parameters.mode == wire::Mode::kAuto) page.all_words = merge::Count();
  if (question.topology->partitions.empty()) page.near.assign(question.near.size(), {});  // no words are like any
  const std::size_t facets = question.arrangement.facets.size();
  if (question.parameters.facets_apart > 0)
    page.counted = std::make_shared<merge::CountedFacets>(
        merge::CountedFacets{question.arrangement, std::vector<std::vector<frond::query::FacetCounts>>(facets)});
  else
    page.facets.resize(facets);
  return page;
}

std::optional<std::string> problem_of_columns(const std::vector<std::string>& columns, const schema::Schema& schema) {
  for (const std::string& name : columns) {
    if (name == kSource && schema.source_stored) continue;
    if (name == kSource) return "fields names source, which the collection does not keep";
    const auto* const field = schema.find(name);
    if (field != nullptr && schema::is_column(field->type)) continue;
    if (field != nullptr)
      return "fields names '" + name + "', which is " + std::string(name_of(field->type)) +
             ": snippets show text, and source has all of the document";
    std::vector<std::string_view> names;
    for (const auto& one : kFields) names.push_back(one.name);
    for (const auto& one : schema.fields)
      if (schema::is_column(one.type)) names.push_back(one.name);
    if (schema.source_stored) names.push_back(kSource);
    return "fields names '" + name + "', which is no field" + schema::nearest_hint(name, names);
  }
  return {};
}

std::string_view what_it_lacks(const wire::SearchRequest& request) {
  if (!request.near.empty()) return "does not look for words like others";
  if (!request.simple_facets) return "counts no facets in facets, and none of some kinds";
  if (!request.sort.empty() || !request.facets.empty()) return "neither sorts nor counts facets";
  if (wire::has_clauses(request)) return "searches plain words only, and shows no columns";
  return request.bm25 ? "ranks by the collection's k1 and b only" : "neither counts nor answers without ranking";
}

}  // namespace frond::broker::http
