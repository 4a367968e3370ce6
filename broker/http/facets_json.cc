// What hits are ordered by, and what was counted, as JSON.
#include <algorithm>
#include <cmath>
#include <vector>

#include "broker/http/answer_json.h"
#include "common/base/check.h"

namespace frond::broker::http {
namespace {

using frond::query::Facet;
using merge::FacetTotals;
using schema::FieldType;

void append_value(std::string& out, FieldType type, const schema::Value& value) {
  out += type == FieldType::kDate ? schema::json_string(schema::text_of(type, value)) : schema::json_scalar(value);
}

void append_key(std::string& out, FieldType type, std::uint64_t key) {
  append_value(out, type, schema::value_of_key(type, key));
}

// JSON has no infinity: a sum may be one.
void append_finite(std::string& out, double value) {
  if (std::isfinite(value))
    append_real(out, value);
  else
    out += "null";
}

// Of the rounded sum, also where that is infinite.
double mean_of(const FacetTotals& totals) {
  const double sum = totals.sum.rounded(), count = static_cast<double>(totals.values);
  if (std::isfinite(sum)) return sum / count;
  // Without the lowest of its words a sum is a 2^64th of itself. What is cut off only decides a tie.
  std::vector<std::uint64_t> words = totals.sum.words();
  words[1] |= words[0] != 0 ? 1 : 0;
  words.erase(words.begin());
  if (sum < 0) words.push_back(~std::uint64_t{0});
  frond::query::ExactSum scaled;
  FROND_CHECK(scaled.set_words(words));
  return std::ldexp(scaled.rounded() / count, 64);
}

void append_values(std::string& out, FieldType type, const FacetTotals& totals) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < totals.counts.size(); ++i) {
    out += i == 0 ? "{\"value\":" : ",{\"value\":";
    if (type == FieldType::kKeyword)
      append_json_string(out, totals.words[i]);
    else
      append_key(out, type, totals.keys[i]);
    append_count(out, "count", totals.counts[i]);
    out += '}';
  }
  out += ']';
  append_count(out, "other", totals.other);
  append_count(out, "missing", totals.missing);
}

// All of them, also the empty ones.
void append_ranges(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals) {
  std::vector<std::uint64_t> all(facet.bounds.size() + 1);
  for (std::size_t i = 0; i < totals.keys.size(); ++i) all[totals.keys[i]] = totals.counts[i];
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    if (i > 0) {
      append_name(out, "from");
      append_value(out, type, facet.bounds[i - 1]);
    }
    if (i < facet.bounds.size()) {
      append_name(out, "to");
      append_value(out, type, facet.bounds[i]);
    }
    append_count(out, "count", all[i]);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", totals.missing);
}

void append_intervals(std::string& out, FieldType type, const FacetTotals& totals) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < totals.keys.size(); ++i) {
    out += i == 0 ? "{\"from\":" : ",{\"from\":";
    append_key(out, type, totals.keys[i]);
    append_count(out, "count", totals.counts[i]);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", totals.missing);
}

void append_stats(std::string& out, FieldType type, const FacetTotals& totals) {
  append_count(out, "count", totals.values);
  if (totals.values == 0) {
    out += ",\"min\":null,\"max\":null,\"sum\":0,\"mean\":null";
    return;
  }
  append_name(out, "min");
  append_key(out, type, totals.least);
  append_name(out, "max");
  append_key(out, type, totals.greatest);
  const double sum = totals.sum.rounded(), mean = mean_of(totals);
  append_name(out, "sum");
  append_finite(out, sum);
  append_name(out, "mean");
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (type == FieldType::kDate && std::abs(mean) < kEnd)
    append_value(out, type, static_cast<std::int64_t>(std::llround(mean)));
  else
    append_finite(out, mean);
}

void append_facet(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals) {
  switch (facet.kind) {
    case Facet::Kind::kValues:
      return append_values(out, type, totals);
    case Facet::Kind::kRanges:
      return append_ranges(out, facet, type, totals);
    case Facet::Kind::kHistogram:
    case Facet::Kind::kDates:
      return append_intervals(out, type, totals);
    case Facet::Kind::kStats:
      return append_stats(out, type, totals);
    case Facet::Kind::kDistinct:
      return append_count(out, "value", totals.different);
  }
}

}  // namespace

void append_sort(std::string& out, const std::string& sort_bytes, const merge::Arrangement& arrangement) {
  using By = frond::query::SortKey::By;
  const auto values = read_sort_bytes(sort_bytes, arrangement.order, *arrangement.schema);
  FROND_CHECK(values);  // merge::check() has read them
  append_name(out, "sort");
  for (std::size_t i = 0; i < values->size(); ++i) {
    out += i == 0 ? '[' : ',';
    const frond::query::SortKey& key = arrangement.order[i];
    if (key.by == By::kScore)
      append_score(out, (*values)[i].score);
    else if (key.by == By::kOrder)
      append_number(out, (*values)[i].ordinal);
    else if (const auto& value = (*values)[i].value)
      append_value(out, arrangement.schema->find(key.field)->type, *value);
    else
      out += "null";
  }
  out += ']';
}

void append_facets(std::string& out, const std::vector<FacetTotals>& totals, const merge::Arrangement& arrangement) {
  out += ",\"facets\":{";
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const Facet& facet = arrangement.facets[i];
    if (i > 0) out += ',';
    append_json_string(out, facet.name);
    out += ":{";
    append_facet(out, facet, arrangement.schema->find(facet.field)->type, totals[i]);
    out += '}';
  }
  out += '}';
}

}  // namespace frond::broker::http
