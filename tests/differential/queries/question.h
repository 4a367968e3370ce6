#pragma once
// A search as the oracle and the broker are asked for it: random ones, and their JSON.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/query/bind.h"
#include "common/query/facets/facet.h"
#include "common/query/json/clause_json.h"
#include "common/query/limits.h"
#include "common/query/sort_order.h"
#include "common/schema/json.h"
#include "tests/support/random_clauses.h"

namespace frond::queries_test {

struct Question {
  query::Clause clause;
  std::optional<query::Clause> filter;
  std::string q, filter_q;  // in place of the JSON of these, and the same; empty: their JSON
  query::Mode mode = query::Mode::kAuto;
  std::uint32_t k = 10, offset = 0;
  bool ranked = true, exact_total = false, count = false, cached = true;
  std::optional<double> k1, b, prior_weight;
  query::SortOrder sort;
  std::vector<query::Facet> facets;
};

// `search_after` and `processor`: empty, or those of the request.
inline std::string json_of(const Question& asked, const std::string& search_after = "",
                           const std::string& processor = "") {
  std::string json = "{";
  const auto member = [&](const char* name, const std::string& value) {
    if (json.back() != '{') json += ',';
    ((json += '"') += name) += "\":" + value;
  };
  if (asked.q.empty())
    member("query", query::clause_json(asked.clause));
  else
    member("q", schema::json_string(asked.q));
  if (asked.filter)
    member("filter", asked.filter_q.empty() ? query::clause_json(*asked.filter) : schema::json_string(asked.filter_q));
  member("mode", schema::json_string(query::kModeNames[static_cast<std::size_t>(asked.mode)]));
  if (!processor.empty()) member("processor", schema::json_string(processor));
  if (!asked.cached) member("cache", "\"off\"");
  if (!asked.facets.empty()) member("facets", query::facets_json(asked.facets));
  if (asked.count) return json + "}";
  member("k", std::to_string(asked.k));
  member("fields", "\"id\"");
  if (asked.offset != 0 && search_after.empty()) member("offset", std::to_string(asked.offset));
  if (!asked.ranked) member("rank", "\"none\"");
  if (asked.exact_total) member("total", "\"exact\"");
  if (asked.k1) member("k1", schema::text_of(*asked.k1));
  if (asked.b) member("b", schema::text_of(*asked.b));
  if (asked.prior_weight) member("prior_weight", schema::text_of(*asked.prior_weight));
  if (!asked.sort.empty()) member("sort", schema::json_string(query::sort_text(asked.sort)));
  if (!search_after.empty()) member("search_after", schema::json_string(search_after));
  return json + "}";
}

// A clause in the query language; nothing: it has no such form, or one that this does not know.
class QueryText {
 public:
  explicit QueryText(const schema::Schema& schema) : schema_(schema) {}
  std::optional<std::string> of(const query::Clause& clause) const { return text_of(clause, false); }

 private:
  using Text = std::optional<std::string>;
  static bool is_safe(const std::string& word) {
    return !word.empty() &&
           std::ranges::all_of(word, [](char c) { return std::islower(static_cast<unsigned char>(c)) || c == ' '; }) &&
           word.front() != ' ' && word.back() != ' ';
  }
  static std::string prefix(const std::string& field) { return field.empty() ? "" : field + ":"; }
  Text value(const std::string& field, const schema::Value& value) const {
    const bool is_integer = schema_.find(field)->type == schema::FieldType::kInteger;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      return *whole < 0 || !is_integer ? Text() : std::to_string(*whole);
    if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || text->find(' ') != text->npos || !is_safe(*text)) return {};
    return *text;
  }

  Text text_of(const query::Clause& clause, bool inside) const {
    if (const auto* boost = clause.as<query::Boost>()) {
      if (boost->by.units % 128 != 0 || boost->of.front().as<query::Boost>() != nullptr) return {};
      const Text inner = text_of(boost->of.front(), true);
      return inner ? Text(*inner + "^" + schema::text_of(boost->by.value())) : Text();
    }
    if (const auto* both = clause.as<query::Bool>()) {
      const Text items = items_of(*both);
      return items ? Text(inside ? "(" + *items + ")" : *items) : Text();
    }
    if (const auto* words = clause.as<query::Words>()) {
      if (!is_safe(words->text) || words->text.find(' ') != words->text.npos) return {};
      return prefix(words->field) + words->text;
    }
    if (const auto* phrase = clause.as<query::Phrase>()) {
      if (!is_safe(phrase->text) || phrase->prefix) return {};
      return prefix(phrase->field) + "\"" + phrase->text + "\"" +
             (phrase->slop == 0 ? "" : "~" + std::to_string(phrase->slop));
    }
    if (const auto* begun = clause.as<query::Prefix>())
      return is_safe(begun->text) && begun->text.find(' ') == begun->text.npos
                 ? Text(prefix(begun->field) + begun->text + "*")
                 : Text();
    return column(clause);
  }
  Text column(const query::Clause& clause) const {
    const std::string* const field = query::field_of(clause);
    if (field == nullptr || field->empty() || !schema::is_column(schema_.find(*field)->type)) return {};
    if (clause.as<query::Exists>() != nullptr) return *field + ":*";
    if (const auto* terms = clause.as<query::Terms>()) {
      std::string any;
      for (const schema::Value& one : terms->values) {
        const Text text = value(*field, one);
        if (!text) return {};
        any += (any.empty() ? "" : " OR ") + *text;
      }
      if (terms->values.empty()) return {};
      return *field + ":" + (terms->values.size() == 1 ? any : "(" + any + ")");
    }
    const auto* range = clause.as<query::Range>();
    if (range == nullptr || (!range->from && !range->to)) return {};
    const Text from = range->from ? value(*field, range->from->value) : Text("*"),
               to = range->to ? value(*field, range->to->value) : Text("*");
    if (!from || !to) return {};
    return *field + ":" + (range->from && !range->from->inclusive ? "{" : "[") + *from + " TO " + *to +
           (range->to && !range->to->inclusive ? "}" : "]");
  }
  Text items_of(const query::Bool& both) const {
    if (both.minimum || !both.filter.empty() || both.must.size() + both.should.size() + both.must_not.size() == 0)
      return {};
    std::string items, any;
    const auto add = [&](const char* sign, const std::vector<query::Clause>& clauses) {
      for (const query::Clause& one : clauses) {
        const Text text = text_of(one, true);
        if (!text) return false;
        items += (items.empty() ? "" : " ") + std::string(sign) + *text;
      }
      return true;
    };
    if (!add("+", both.must)) return {};
    for (const query::Clause& one : both.should) {
      const Text text = text_of(one, true);
      if (!text) return {};
      if (both.must.empty())
        any += (any.empty() ? "" : " OR ") + *text;
      else
        items += " (" + *text + ")";
    }
    if (!any.empty()) items = both.must_not.empty() ? any : "(" + any + ")";
    if (!add("-", both.must_not)) return {};
    return items;
  }

  const schema::Schema& schema_;
};

class RandomQuestions {
 public:
  RandomQuestions(std::uint32_t seed, const support::Vocabulary& vocabulary)
      : clauses_(seed, vocabulary), vocabulary_(vocabulary), schema_(vocabulary_.schema) {
    for (std::size_t field = 0; field < schema_.fields.size(); ++field)
      if (schema::is_column(schema_.fields[field].type)) columns_.push_back(field);
  }

  Question next() {
    Question asked;
    asked.count = below(10) == 0;
    asked.mode = static_cast<query::Mode>(asked.count ? 1 + below(2) : below(3));
    if (below(3) == 0)
      ask_plainly(asked);
    else
      asked.clause = below(3) == 0 ? clauses_.required() : clauses_.clause(1 + below(4));
    if (below(4) == 0) asked.filter = clauses_.clause(1 + below(2));
    const QueryText text(schema_);
    const bool bm25 = schema_.scorer == schema::Scorer::kBm25;
    if (asked.q.empty() && bm25 && below(2) == 0) asked.q = text.of(asked.clause).value_or("");
    if (asked.filter && bm25 && below(2) == 0) asked.filter_q = text.of(*asked.filter).value_or("");
    asked.k = below(3) == 0 ? 1 + below(4) : below(2) == 0 ? 10 : 1 + below(300);
    if (below(4) == 0) asked.offset = below(30);
    asked.exact_total = below(4) == 0;
    asked.cached = below(2) == 0;
    asked.ranked = !asked.count && below(6) != 0;
    if (bm25 && below(8) == 0) asked.k1 = 0.25 * below(17);
    if (bm25 && below(8) == 0) asked.b = 0.25 * below(5);
    if (below(8) == 0) asked.prior_weight = 0.5 * below(8);
    if (below(3) == 0 && asked.ranked) asked.sort = order();
    if (below(4) == 0 && !columns_.empty() && !asked.count)
      for (std::uint32_t facets = 1 + below(3); facets-- > 0;) asked.facets.push_back(facet(facets));
    return asked;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return clauses_.below(bound); }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }

  // Words beside each other, or tokens, as people type them.
  void ask_plainly(Question& asked) {
    const bool impacts = schema_.scorer == schema::Scorer::kImpact;
    const auto& words = impacts ? vocabulary_.tokens : vocabulary_.words;
    std::vector<std::string> chosen;
    for (std::uint32_t count = 1 + below(5); count-- > 0;) chosen.push_back(any(words));
    for (const std::string& word : chosen) asked.q += (asked.q.empty() ? "" : " ") + word;
    if (!impacts) {
      asked.clause = {query::Words{"", asked.q, asked.mode}};
      if (std::ranges::any_of(asked.q, [](unsigned char c) { return std::ispunct(c) != 0; })) asked.q.clear();
      return;
    }
    const auto field = std::ranges::find(schema_.fields, schema::FieldType::kWeights, &schema::Field::type);
    std::map<std::string, std::uint32_t> weights;
    for (const std::string& word : chosen) weights[word] += query::Factor::kOne;
    query::Weights all{field->name, {}};
    query::Bool every;
    for (const auto& [token, units] : weights) {
      all.tokens.push_back({token, {units}});
      every.must.push_back({query::Weights{field->name, {all.tokens.back()}}});
    }
    asked.clause = asked.mode == query::Mode::kAnd ? query::Clause{std::move(every)} : query::Clause{std::move(all)};
  }

  query::SortOrder order() {
    query::SortOrder order;
    for (std::uint32_t i = 1 + below(3); i-- > 0;) {
      query::SortKey key;
      const std::uint32_t by = columns_.empty() ? below(2) : below(6);
      if (by == 0) key.by = query::SortKey::By::kScore;
      if (by == 1) key.by = query::SortKey::By::kOrder;
      if (by > 1) key.field = schema_.fields[any(columns_)].name;
      key.descending = below(2) != 0;
      key.missing_first = by > 1 && below(2) != 0;
      const bool there =
          std::ranges::any_of(order, [&](const auto& one) { return one.by == key.by && one.field == key.field; });
      if (!there) order.push_back(key);
    }
    return *query::parse_sort(query::sort_text(order));
  }
  // With others in it, down to so many levels.
  query::Facet facet(std::uint32_t number, int levels = 3) {
    query::Facet made = below(6) == 0 ? clause_facet() : column_facet();
    made.name = "f" + std::to_string(number);
    if (levels > 1 && query::has_buckets(made.kind) && below(2) == 0)
      for (std::uint32_t inside = 1 + below(2); inside-- > 0;) made.inside.push_back(facet(inside, levels - 1));
    if (made.kind == query::Facet::Kind::kValues) set_order(made);
    return made;
  }
  void set_order(query::Facet& made) {
    made.min_count = 1 + below(8) / 6;
    made.order.descending = below(2) == 0;
    if (below(3) == 0) made.order.by = query::BucketOrder::By::kValue;
    for (const query::Facet& one : made.inside) {
      const char* const of_stats[] = {"count", "min", "max", "sum", "mean"};
      const char* const of_count[] = {"documents", "values"};
      const bool is_stats = one.kind == query::Facet::Kind::kStats, is_count = one.kind == query::Facet::Kind::kCount;
      if (!is_stats && !is_count && one.kind != query::Facet::Kind::kDistinct) continue;
      made.order.by = query::BucketOrder::By::kFacet;
      made.order.facet = one.name;
      made.order.member = is_stats ? of_stats[below(5)] : is_count ? of_count[below(2)] : "value";
    }
  }
  query::Facet clause_facet() {
    query::Facet made;
    made.kind = below(2) == 0 ? query::Facet::Kind::kFilter : query::Facet::Kind::kFilters;
    const std::uint32_t clauses = made.kind == query::Facet::Kind::kFilter ? 1 : 1 + below(3);
    for (std::uint32_t i = 0; i < clauses; ++i) {
      query::Clause clause = query::resolved(clauses_.clause(1 + below(2)), query::Mode::kOr);
      if (!query::bind(clause, schema_, "clause") || query::cost_of(clause).patterns != 0) clause = {query::All()};
      made.queries.push_back(
          {clauses == 1 && made.kind == query::Facet::Kind::kFilter ? "" : "q" + std::to_string(i), std::move(clause)});
    }
    return made;
  }
  query::Facet column_facet() {
    using Kind = query::Facet::Kind;
    const std::size_t column = any(columns_);
    const schema::Field& field = schema_.fields[column];
    query::Facet made;
    made.field = field.name;
    constexpr Kind kOfAll[] = {Kind::kValues, Kind::kValues, Kind::kDistinct, Kind::kMissing, Kind::kCount};
    made.kind = kOfAll[below(5)];
    made.size = made.kind == Kind::kValues ? 1 + below(12) : 10;
    const schema::FieldType type = field.type;
    if (type == schema::FieldType::kKeyword || type == schema::FieldType::kBoolean || below(3) == 0) return made;
    made.size = 10;
    switch (below(4)) {
      case 0:
        made.kind = Kind::kStats;
        return made;
      case 3:
        made.kind = type == schema::FieldType::kDate ? Kind::kStats : Kind::kPercentiles;
        if (made.kind == Kind::kPercentiles) made.percents = {1, 7, 25.5, 50, 100};
        return made;
      case 1:
        return ranges(std::move(made), column);
      default:
        made.kind = type == schema::FieldType::kDate ? Kind::kDates : Kind::kHistogram;
        made.min_count = 1 + below(8) / 6;
        if (made.kind == Kind::kDates)
          set_dates(made);
        else
          made.interval = type == schema::FieldType::kInteger ? 1 + below(6) : 0.25 * (1 + below(400));
        return made;
    }
  }
  void set_dates(query::Facet& made) {
    made.unit = static_cast<query::DateUnit>(below(7));
    if (below(4) == 0) made.interval_ms = 1 + below(2'000'000'000);
    if (below(4) == 0) made.offset_ms = (static_cast<std::int64_t>(below(400)) - 200) * 600'000;
    const char* const zones[] = {"Europe/Berlin", "America/New_York", "+05:30"};
    if (below(3) == 0) made.zone = zones[below(3)];
  }
  query::Facet ranges(query::Facet made, std::size_t column) {
    const auto& values = vocabulary_.values[column];
    if (values.empty()) return made;
    made.kind = query::Facet::Kind::kRanges;
    for (std::uint32_t i = 1 + below(4); i-- > 0;)
      made.bounds.push_back(*schema::typed_value(schema_.fields[column].type, any(values), schema::Reading::kLenient));
    std::ranges::sort(made.bounds);
    made.bounds.erase(std::unique(made.bounds.begin(), made.bounds.end()), made.bounds.end());
    return made;
  }

  support::RandomClauses clauses_;
  const support::Vocabulary vocabulary_;
  const schema::Schema& schema_;
  std::vector<std::size_t> columns_;
};

}  // namespace frond::queries_test
