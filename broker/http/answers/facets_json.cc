// What hits are ordered by, and what was counted, as JSON.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "broker/http/answers/answer_json.h"
#include "broker/merge/facet_stats.h"
#include "common/base/check.h"
#include "common/query/facets/facet_buckets.h"
#include "common/schema/json.h"

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

// `,"facets":{…}` of the bucket, counted among those with documents, if there are facets in it. Behind the last one: an
// empty bucket.
void append_inside(std::string& out, const Facet& facet, const FacetTotals& totals, std::size_t bucket,
                   const schema::Schema& schema);

void append_values(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals,
                   const schema::Schema& schema) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < totals.counts.size(); ++i) {
    out += i == 0 ? "{\"value\":" : ",{\"value\":";
    if (type == FieldType::kKeyword)
      schema::append_json_string(out, totals.words[i]);
    else
      append_key(out, type, totals.keys[i]);
    append_count(out, "count", totals.counts[i]);
    append_inside(out, facet, totals, i, schema);
    out += '}';
  }
  out += ']';
  append_count(out, "other", totals.other);
  append_count(out, "missing", totals.missing);
}

// Where the bucket of this number is; one more than there are: it is empty.
std::size_t place_of(const FacetTotals& totals, std::size_t number) {
  const auto found = std::ranges::lower_bound(totals.keys, number);
  const bool is_there = found != totals.keys.end() && *found == number;
  return is_there ? static_cast<std::size_t>(found - totals.keys.begin()) : totals.keys.size();
}

// The documents in a bucket, and what is in it.
void append_documents(std::string& out, const Facet& facet, const FacetTotals& totals, std::size_t number,
                      const schema::Schema& schema) {
  const std::size_t place = place_of(totals, number);
  append_count(out, "count", place < totals.counts.size() ? totals.counts[place] : 0);
  append_inside(out, facet, totals, place, schema);
}

// All of them, also the empty ones.
void append_ranges(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals,
                   const schema::Schema& schema) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i <= facet.bounds.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    if (i > 0) {
      append_name(out, "from");
      append_value(out, type, facet.bounds[i - 1]);
    }
    if (i < facet.bounds.size()) {
      append_name(out, "to");
      append_value(out, type, facet.bounds[i]);
    }
    append_documents(out, facet, totals, i, schema);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", totals.missing);
}

// Likewise of clauses.
void append_filters(std::string& out, const Facet& facet, const FacetTotals& totals, const schema::Schema& schema) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < facet.queries.size(); ++i) {
    out += i == 0 ? "{\"name\":" : ",{\"name\":";
    schema::append_json_string(out, facet.queries[i].name);
    append_documents(out, facet, totals, i, schema);
    out += '}';
  }
  out += ']';
}

void append_intervals(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals,
                      const schema::Schema& schema) {
  out += "\"buckets\":[";
  std::size_t filled = 0;
  for (std::size_t i = 0; i < totals.keys.size(); ++i) {
    out += i == 0 ? "{\"from\":" : ",{\"from\":";
    append_key(out, type, totals.keys[i]);
    append_count(out, "count", totals.counts[i]);
    append_inside(out, facet, totals, totals.counts[i] == 0 ? totals.keys.size() : filled++, schema);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", totals.missing);
}

// The least value that so many percent of all do not exceed.
void append_percentiles(std::string& out, const Facet& facet, FieldType type, const FacetTotals& totals) {
  const auto all = std::accumulate(totals.counts.begin(), totals.counts.end(), std::uint64_t{0});
  out += "\"percentiles\":[";
  for (const double& percent : facet.percents) {
    out += &percent == &facet.percents.front() ? "{" : ",{";
    append_name(out, "percent");
    append_real(out, percent);
    append_name(out, "value");
    const double rank = std::ceil(percent * static_cast<double>(all) / 100);
    std::size_t bucket = 0;
    std::uint64_t passed = totals.counts.empty() ? 0 : totals.counts.front();
    while (bucket + 1 < totals.counts.size() && static_cast<double>(passed) < rank) passed += totals.counts[++bucket];
    if (totals.counts.empty())
      out += "null";
    else
      append_value(out, type, frond::query::value_in(type, totals.keys[bucket]));
    out += '}';
  }
  out += ']';
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
  const double sum = totals.sum.rounded(), mean = merge::mean_of(totals.sum, totals.values);
  append_name(out, "sum");
  append_finite(out, sum);
  append_name(out, "mean");
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (type == FieldType::kDate && std::abs(mean) < kEnd)
    append_value(out, type, static_cast<std::int64_t>(std::llround(mean)));
  else
    append_finite(out, mean);
}

void append_facet(std::string& out, const Facet& facet, const FacetTotals& totals, const schema::Schema& schema) {
  const schema::Field* const field = schema.find(facet.field);
  const FieldType type = field == nullptr ? FieldType::kInteger : field->type;
  switch (facet.kind) {
    case Facet::Kind::kValues:
      return append_values(out, facet, type, totals, schema);
    case Facet::Kind::kRanges:
      return append_ranges(out, facet, type, totals, schema);
    case Facet::Kind::kHistogram:
    case Facet::Kind::kDates:
      return append_intervals(out, facet, type, totals, schema);
    case Facet::Kind::kFilters:
      return append_filters(out, facet, totals, schema);
    case Facet::Kind::kFilter:
    case Facet::Kind::kMissing:
      return append_documents(out, facet, totals, 0, schema);
    case Facet::Kind::kStats:
      return append_stats(out, type, totals);
    case Facet::Kind::kPercentiles:
      return append_percentiles(out, facet, type, totals);
    case Facet::Kind::kCount:
      append_count(out, "documents", totals.with_value);
      return append_count(out, "values", totals.values);
    case Facet::Kind::kDistinct:
      return append_count(out, "value", totals.different);
  }
}

void append_inside(std::string& out, const Facet& facet, const FacetTotals& totals, std::size_t bucket,
                   const schema::Schema& schema) {
  static const FacetTotals kEmpty;
  if (facet.inside.empty()) return;
  out += ",\"facets\":{";
  for (std::size_t i = 0; i < facet.inside.size(); ++i) {
    const std::size_t place = bucket * facet.inside.size() + i;
    if (i > 0) out += ',';
    schema::append_json_string(out, facet.inside[i].name);
    out += ":{";
    append_facet(out, facet.inside[i], place < totals.nested.size() ? totals.nested[place] : kEmpty, schema);
    out += '}';
  }
  out += '}';
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
    schema::append_json_string(out, facet.name);
    out += ":{";
    append_facet(out, facet, totals[i], *arrangement.schema);
    out += '}';
  }
  out += '}';
}

}  // namespace frond::broker::http
